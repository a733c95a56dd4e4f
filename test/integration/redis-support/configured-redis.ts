import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { findExecutable } from '#platform/debian/executable';
import { afterThisProcess } from '#platform/processes/watchdog';
import { freePorts } from '#testing/control-plane/free-ports';
import { PATIENCE_MS, pause } from '#testing/patience';

const END = 'kill -KILL "$1" 2>/dev/null; rm -rf "$2"';

/** A server with a configuration of the test's own. */
export type ConfiguredRedis = Readonly<{
  port: number;
  /** The test's own connection. */
  admin: Redis;
  /** Kills it at once, like a crash. */
  kill: () => Promise<void>;
  /** After {@link ConfiguredRedis.kill}: the same server again. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
}>;

export type ConfiguredRedisOptions = Readonly<{
  /** Lines of its configuration beside port, address and folder. `PORT` in them is replaced. */
  lines?: readonly string[];
  /** True for a Sentinel. */
  sentinel?: boolean;
  /** For the test's own connection. */
  client?: Omit<RedisOptions, 'replyMapping'>;
  /** True if `lines` name its address. */
  listens?: boolean;
}>;

/** Starts `redis-server` of the PATH on a free port of this machine, and waits for its first answer. */
export async function startConfiguredRedis(options: ConfiguredRedisOptions = {}): Promise<ConfiguredRedis> {
  const { lines = [], sentinel = false, client = {}, listens = false } = options;
  const binary = findExecutable('redis-server', process.env['PATH'] ?? '') ?? 'redis-server';
  const [port = 0, busPort = 0] = await freePorts(2);
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-configured-redis-'));
  const config = join(folder, 'redis.conf');
  const common = ['bind 127.0.0.1', `dir ${folder}`, ...(listens ? [] : [`port ${port}`])];
  const own = sentinel ? [] : ['save ""', 'appendonly no'];
  // By default the bus listens 10,000 ports higher: Linux gives such ports to outgoing connections.
  const bus = lines.includes('cluster-enabled yes') ? [`cluster-port ${busPort}`] : [];
  const text = [...common, ...own, ...bus, ...lines].join('\n').replaceAll('PORT', String(port));
  writeFileSync(config, `${text}\n`, { mode: 0o600 });
  const start = () => spawn(binary, [config, ...(sentinel ? ['--sentinel'] : [])], { stdio: 'ignore' });
  let server = start();
  let watchdog = afterThisProcess(END, [String(server.pid ?? ''), folder]);
  const admin = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null, retryStrategy: () => 100, ...client });
  admin.on('error', () => undefined);
  const kill = async () => {
    watchdog.kill('SIGKILL');
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  const restart = async () => {
    server = start();
    watchdog = afterThisProcess(END, [String(server.pid ?? ''), folder]);
  };
  const stop = async () => {
    admin.disconnect();
    await kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  for (const deadline = Date.now() + PATIENCE_MS; admin.status !== 'ready'; await pause(25)) {
    if (server.exitCode === null && Date.now() < deadline) continue;
    await stop();
    throw new Error(`redis-server has not begun to answer with:\n${text}`);
  }
  return { port, admin, kill, restart, stop };
}
