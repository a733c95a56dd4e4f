import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterThisProcess } from '../../processes/watchdog.js';
import { pingRedis } from '../redis-connection.js';
import { RedisUnreachable, RedisUnusable } from '../redis-errors.js';

const START_DEADLINE_MS = 15_000;
const STOP_DEADLINE_MS = 5_000;
const PORT_ATTEMPTS = 3;

const END = 'kill -TERM "$1" 2>/dev/null; sleep 1; kill -KILL "$1" 2>/dev/null; rm -rf "$2"';

export type LocalRedis = Readonly<{ url: string; stop(): Promise<void> }>;

/** `kill` ends it as a crash would: at once, with everything in it lost. */
export type KillableRedis = LocalRedis & Readonly<{ kill(): Promise<void> }>;

/** Place of an earlier instance: its clients find the new one there. */
type RedisPlace = Readonly<{ port: number; password: string }>;

/**
 * Starts the server on a free loopback port, with a password and a private directory of its own, nothing
 * written to disk that would outlive it. It ends with this process, even when this process is killed: a
 * watchdog holds the other end of a pipe and acts when the pipe closes. Both stand outside the terminal's
 * process group, so that Ctrl-C lets services drain.
 */
export async function startLocalRedis(binary: string, place?: RedisPlace): Promise<KillableRedis> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(
        binary,
        place ?? { port: await freePort(), password: randomBytes(18).toString('base64url') },
      );
    } catch (error) {
      // Another process took the port between our asking for it and the start.
      const taken = error instanceof RedisUnreachable && /in use/i.test(error.because);
      if (!taken || place !== undefined || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startOnce(binary: string, { port, password }: RedisPlace): Promise<KillableRedis> {
  // Up to the watchdog all is synchronous: this process cannot end in between and leave the directory.
  const directory = mkdtempSync(join(tmpdir(), 'flotilla-redis-'));
  const config = join(directory, 'redis.conf');
  writeFileSync(config, configuration(directory, port, password), { mode: 0o600 });
  const server = spawn(binary, [config], { stdio: 'ignore', detached: true });
  const watchdog = afterThisProcess(END, [String(server.pid ?? ''), directory]);
  server.unref();
  const endWith = async (signal: 'SIGTERM' | 'SIGKILL') => {
    watchdog.kill('SIGKILL');
    await end(server, signal);
    await rm(directory, { recursive: true, force: true });
  };
  const stop = () => endWith('SIGTERM');
  const url = `redis://:${password}@127.0.0.1:${port}`;
  try {
    await untilAnswering(server, url, join(directory, 'redis.log'));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop, kill: () => endWith('SIGKILL') };
}

const configuration = (directory: string, port: number, password: string) =>
  [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${directory}`,
    `logfile ${join(directory, 'redis.log')}`,
    'daemonize no',
    'save ""',
    'appendonly no',
    'maxmemory-policy noeviction',
    '',
  ].join('\n');

async function untilAnswering(server: ChildProcess, url: string, logFile: string): Promise<void> {
  let spawnError: Error | undefined;
  server.on('error', (error) => {
    spawnError = error;
  });
  const deadline = Date.now() + START_DEADLINE_MS;
  for (;;) {
    const ended = spawnError !== undefined || server.exitCode !== null || server.signalCode !== null;
    const error = ended
      ? new Error('it ended')
      : await pingRedis(url, 1_000).then(
          () => undefined,
          (e: unknown) => e,
        );
    if (error === undefined) return;
    if (error instanceof RedisUnusable) throw error;
    if (ended || Date.now() > deadline) {
      const log = await readFile(logFile, 'utf8').catch(() => '');
      const last = log.trim().split('\n').slice(-3).join(' | ');
      throw new RedisUnreachable(
        '127.0.0.1',
        spawnError?.message ?? `the server just started says: ${last || 'nothing'}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function end(server: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill(signal);
  const timer = setTimeout(() => server.kill('SIGKILL'), STOP_DEADLINE_MS);
  await exited;
  clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
