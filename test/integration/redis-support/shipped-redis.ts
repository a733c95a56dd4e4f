import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { afterThisProcess } from '#platform/processes/watchdog';
import { pingRedis } from '#platform/redis/redis-connection';
import type { RedisTls } from '#platform/redis/redis-options';
import { freePorts } from '#testing/control-plane/free-ports';
import { PATIENCE_MS, pause } from '#testing/patience';

export type RedisUser = 'poller' | 'resolver' | 'applier' | 'console' | 'notifier';
const USERS: readonly RedisUser[] = ['poller', 'resolver', 'applier', 'console', 'notifier'];
const START = join(PROJECT_ROOT, 'k8s', 'base', 'hub', 'start-redis.sh');
const END = 'kill -TERM "$1" 2>/dev/null; rm -rf "$2"';

/** Redis as compose and Kubernetes start it, with a user for each service. */
export type ShippedRedis = Readonly<{
  address: string;
  /** With the user and its password. */
  urlOf: (user: RedisUser) => string;
  passwordFileOf: (user: RedisUser) => string;
  pid: number;
  stop: () => Promise<void>;
}>;

export type ShippedRedisOptions = Readonly<{
  /** Prefix of keys, as in FLOTILLA_REDIS_PREFIX. */
  prefix?: string;
  /** PEM texts for a Redis with TLS alone. It asks clients for a certificate if their authority is named. */
  tls?: Readonly<{ cert: string; key: string; clientsCa?: string }>;
  /** Further options of redis-server, such as `--busy-reply-threshold`. */
  more?: readonly string[];
  /** For this test's own connection. */
  client?: RedisTls;
}>;

export async function startShippedRedis({
  prefix,
  tls,
  client,
  more = [],
}: ShippedRedisOptions = {}): Promise<ShippedRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-shipped-redis-'));
  for (const user of USERS) mkdirSync(join(folder, user));
  const [port = 0] = await freePorts(1);
  const env = {
    PATH: process.env['PATH'],
    REDIS_PASSWORDS: folder,
    REDIS_MAKE_PASSWORDS: 'yes',
    ...(prefix === undefined ? {} : { FLOTILLA_REDIS_PREFIX: prefix }),
  };
  const listen = tls === undefined ? ['--port', String(port)] : ['--port', '0', ...tlsOptions(folder, port, tls)];
  const options = ['--bind', '127.0.0.1', '--dir', folder, ...listen, ...more];
  const server = spawn('sh', [START, ...options], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const watchdog = afterThisProcess(END, [String(server.pid ?? ''), folder]);
  let said = '';
  for (const output of [server.stdout, server.stderr]) output.on('data', (chunk) => (said += chunk));
  const stop = async () => {
    watchdog.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const address = `127.0.0.1:${port}`;
  const scheme = tls === undefined ? 'redis' : 'rediss';
  const probe = `${scheme}://flotilla-probe:none@${address}`;
  for (const deadline = Date.now() + PATIENCE_MS; ; await pause(25)) {
    const failure = await pingRedis(probe, 1_000, client).catch((error: unknown) => error);
    if (failure === undefined) break;
    if (server.exitCode === null && Date.now() < deadline) continue;
    await stop();
    throw new Error(`the shipped Redis does not answer (${failure}): ${said.slice(-2_000)}`);
  }
  const passwordFileOf = (user: RedisUser) => join(folder, user, 'password');
  const urlOf = (user: RedisUser) =>
    `${scheme}://flotilla-${user}:${readFileSync(passwordFileOf(user), 'utf8')}@${address}`;
  return { address, urlOf, passwordFileOf, pid: server.pid ?? 0, stop };
}

function tlsOptions(folder: string, port: number, tls: NonNullable<ShippedRedisOptions['tls']>): readonly string[] {
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const served = ['--tls-cert-file', file('cert.pem', tls.cert), '--tls-key-file', file('key.pem', tls.key)];
  const clients =
    tls.clientsCa === undefined
      ? ['--tls-auth-clients', 'no']
      : ['--tls-ca-cert-file', file('ca.pem', tls.clientsCa), '--tls-auth-clients', 'yes'];
  return ['--tls-port', String(port), ...served, ...clients];
}
