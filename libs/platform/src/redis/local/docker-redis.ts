import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { findExecutable } from '../../debian/executable.js';
import { afterThisProcess } from '../../processes/watchdog.js';
import { pingRedis } from '../redis-connection.js';
import { RedisUnreachable } from '../redis-errors.js';
import type { LocalRedis } from './local-redis.js';

type Environment = Readonly<Record<string, string | undefined>>;

export const REDIS_IMAGE = 'redis:7.4-alpine';
const PORT = '6379';
const PASSWORD = 'FLOTILLA_REDIS_PASSWORD';

const ANSWER_WITHIN_MS = 10_000;
/** The engine may have to pull the image first. */
const RUN_WITHIN_MS = 180_000;
const START_DEADLINE_MS = 15_000;
const BETWEEN_PINGS_MS = 50;

/** Redis reads its configuration from standard input, so that the password is no argument of any process. */
const START = `exec redis-server - <<EOF
requirepass $${PASSWORD}
save ""
appendonly no
maxmemory-policy noeviction
EOF`;

/** Removes the container, also one that the engine is still making. */
const REMOVE = 'for try in 1 2 3 4 5; do "$1" rm --force "$2" && exit 0; sleep 2; done';

/** A `docker` command with a running engine. */
type Docker = Readonly<{ command: string; environment: Environment }>;

/** Returns the `docker` command of the PATH, or a line with the reason why it is unusable. */
export async function findDocker(environment: Environment): Promise<Docker | string> {
  const command = findExecutable('docker', environment['PATH'] ?? '');
  if (command === undefined) return 'no docker command is on PATH';
  const docker = { command, environment };
  try {
    await run(docker, ['version', '--format', '{{.Server.Version}}'], ANSWER_WITHIN_MS);
    return docker;
  } catch (error) {
    return `no Docker engine answers: ${lastLine(error)}`;
  }
}

/**
 * Runs Redis in a container: with a password, on a loopback port of this machine alone, without rights. The
 * container is removed when this process is gone, killed or not.
 */
export async function startDockerRedis(docker: Docker): Promise<LocalRedis> {
  const name = `flotilla-redis-${randomBytes(6).toString('hex')}`;
  const password = randomBytes(18).toString('base64url');
  const watchdog = afterThisProcess(REMOVE, [docker.command, name]);
  const stop = async () => {
    watchdog.kill('SIGKILL');
    await run(docker, ['rm', '--force', name], ANSWER_WITHIN_MS).catch(() => undefined);
  };
  try {
    const environment = { ...docker.environment, [PASSWORD]: password };
    await run({ ...docker, environment }, runArguments(name), RUN_WITHIN_MS);
    const published = await run(docker, ['port', name, PORT], ANSWER_WITHIN_MS);
    const url = `redis://:${password}@127.0.0.1:${published.trim().split(':').at(-1)}`;
    await untilAnswering(docker, name, url);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const runArguments = (name: string): readonly string[] => [
  ...['run', '--detach', '--rm', '--name', name, '--publish', `127.0.0.1::${PORT}`, '--env', PASSWORD],
  ...['--user', '999:1000', '--read-only', '--tmpfs', '/data', '--cap-drop', 'ALL'],
  ...['--security-opt', 'no-new-privileges', REDIS_IMAGE, 'sh', '-ec', START],
];

async function untilAnswering(docker: Docker, name: string, url: string): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS;
  for (;;) {
    const error = await pingRedis(url, 1_000).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) return;
    if (performance.now() > deadline) {
      const logs = await run(docker, ['logs', '--tail', '3', name], ANSWER_WITHIN_MS).catch(lastLine);
      const because = error instanceof RedisUnreachable ? error.because : lastLine(error);
      throw new RedisUnreachable(
        '127.0.0.1',
        `${because}; its container says: ${logs.trim().replaceAll('\n', ' | ') || 'nothing'}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_PINGS_MS));
  }
}

/** Returns the standard output of a docker command. Rejects if the command fails or takes longer. */
function run({ command, environment }: Docker, args: readonly string[], timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { env: environment, timeout: timeoutMs }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(stderr.trim() || `${command} ${args[0]}: ${error.killed ? 'no answer' : error.message}`));
    });
  });
}

const lastLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
