import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { connectRedis, pingRedis } from '#platform/redis/redis-connection';
import { watchRedisEpoch } from '#platform/redis/redis-epoch';
import { RedisNotFound, RedisUnreachable } from '#platform/redis/redis-errors';
import { withoutCredentials } from '#platform/redis/redis-url';
import { PATIENCE } from '#testing/patience';
import { runChild } from './redis-support/run-child.js';

const started: FoundRedis[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const redis of started.splice(0)) await redis.stop();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function find(options: Partial<Parameters<typeof findRedis>[0]> = {}) {
  const lines: string[] = [];
  const redis = await findRedis({ log: (line) => lines.push(line), ...options });
  started.push(redis);
  return { redis, lines };
}

async function folderWith(files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-path-'));
  folders.push(directory);
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text, { mode: 0o755 });
  return directory;
}

async function tryToFind(env: Record<string, string>) {
  const lines: string[] = [];
  const failure = await findRedis({ log: (line) => lines.push(line), env }).then(
    (redis) => void started.push(redis),
    (error: unknown) => error,
  );
  return { lines, failure };
}

function expectThreeWays(failure: unknown): void {
  expect(failure).toBeInstanceOf(RedisNotFound);
  expect(String(failure)).toMatch(/Three ways.*install redis-server or valkey-server.*Docker.*REDIS_URL/);
}

describe('findRedis', () => {
  it('starts a server found on PATH, answers, and stop() ends it', async () => {
    const { redis, lines } = await find({ preferExisting: false });
    await pingRedis(redis.url);
    await redis.stop();
    await expect(pingRedis(redis.url, 500)).rejects.toBeInstanceOf(RedisUnreachable);
    expect(lines.join('\n')).toMatch(/redis-server|valkey-server|Docker/);
  });

  it('asks for a password that it never prints', async () => {
    const { redis, lines } = await find({ preferExisting: false });
    const password = new URL(redis.url).password;
    expect(password.length).toBeGreaterThan(10);
    await expect(pingRedis(withoutCredentials(redis.url))).rejects.toThrow(/NOAUTH|Authentication/);
    expect([...lines, redis.how].join('\n')).not.toContain(password);
  });

  it.runIf(existsSync('/proc/net/tcp'))('listens on loopback alone', async () => {
    const { redis } = await find({ preferExisting: false });
    const port = Number(new URL(redis.url).port).toString(16).toUpperCase().padStart(4, '0');
    const listening = (await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8'))))
      .flatMap((table) => table.split('\n'))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${port}`) && state === '0A')
      .map(([, local]) => local);
    expect(listening).toEqual([`0100007F:${port}`]);
  });

  it('takes the Redis of REDIS_URL first and leaves it running', async () => {
    const own = await find({ preferExisting: false });
    const { redis } = await find({ env: { REDIS_URL: own.redis.url } });
    expect(redis.url).toBe(own.redis.url);
    await redis.stop();
    await pingRedis(own.redis.url);
  });

  it('says so when the Redis of REDIS_URL is gone, instead of taking another', async () => {
    const env = { REDIS_URL: 'redis://someone:hunter2@127.0.0.1:1', PATH: process.env['PATH'] };
    const failure = await find({ env }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RedisUnreachable);
    expect(String(failure)).toMatch(/Redis at redis:\/\/127\.0\.0\.1:1 does not answer: .*ECONNREFUSED/);
    expect(String(failure)).not.toContain('hunter2');
  });

  it('goes on to the next way when the server on PATH cannot start, with one line that says why', async () => {
    const directory = await folderWith({ 'redis-server': '#!/bin/sh\nexit 3\n' });
    const { lines, failure } = await tryToFind({ PATH: directory });
    expect(lines).toContainEqual(expect.stringMatching(/REDIS_URL is not set/));
    expect(lines).toContainEqual(expect.stringMatching(/redis-server started here: .*says: nothing/));
    expect(lines).toContainEqual('redis: no docker command is on PATH');
    expectThreeWays(failure);
  });

  it('without any way it names three, and each step that failed took one line', async () => {
    const { lines, failure } = await tryToFind({ PATH: await folderWith({}) });
    expect(lines).toContainEqual('redis: neither redis-server nor valkey-server is on PATH');
    expect(lines.every((line) => line.startsWith('redis: ') && !line.includes('\n'))).toBe(true);
    expectThreeWays(failure);
  });

  it('as root on Debian it installs redis-server with apt-get, after an update, and starts it', async () => {
    const isRootOnDebian = process.getuid?.() === 0 && existsSync('/etc/debian_version');
    const real = (process.env['PATH'] ?? '')
      .split(':')
      .map((folder) => join(folder, 'redis-server'))
      .find(existsSync);
    if (!isRootOnDebian || real === undefined) {
      console.log('not tried: needs root on Debian with a redis-server');
      return;
    }
    // Stands for the package: an apt-get that installs this machine's server in its place.
    const directory = await folderWith({});
    const script = `#!/bin/sh\necho "$@" >> ${directory}/asked\n[ "$1" = install ] && /bin/ln -s ${real} ${directory}/redis-server\nexit 0\n`;
    await writeFile(join(directory, 'apt-get'), script, { mode: 0o755 });
    const { redis } = await find({ env: { PATH: directory } });
    await pingRedis(redis.url);
    expect((await readFile(join(directory, 'asked'), 'utf8')).split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^update -q /),
      expect.stringMatching(/^install -y -q .*redis-server$/),
    ]);
  });

  it('the server ends when its parent is killed with SIGKILL', async () => {
    const child = runChild(new URL('./redis-support/find-redis.child.ts', import.meta.url), []);
    const url = await child.line('url ');
    await pingRedis(url);
    child.process.kill('SIGKILL');
    await expect
      .poll(
        () =>
          pingRedis(url, 500).then(
            () => 'up',
            () => 'down',
          ),
        PATIENCE,
      )
      .toBe('down');
  });
});

describe('watchRedisEpoch', () => {
  it('notifies every process that Redis was emptied, once per time, and again after a failed attempt', async () => {
    const { redis: found } = await find({ preferExisting: false });
    const redis = connectRedis(found.url);
    const clock = new ManualClock();
    const notified: string[] = [];
    const everyMs = 1_000;
    const stopFirst = await watchRedisEpoch({ redis, clock, everyMs, onEmptied: () => void notified.push('first') });
    let failures = 1;
    const stopSecond = await watchRedisEpoch({
      redis,
      clock,
      everyMs,
      onEmptied: () => {
        if (failures-- > 0) throw new Error('not yet');
        notified.push('second');
      },
    });
    const tick = async () => {
      await clock.advance(everyMs);
      await redis.ping(); // all that was asked before has its answer
      await clock.advance(0);
    };
    await tick();
    expect(notified).toEqual([]);
    await redis.flushall();
    await tick();
    expect(notified).toEqual(['first']);
    await tick();
    await tick();
    expect(notified).toEqual(['first', 'second']);
    stopFirst();
    stopSecond();
    redis.disconnect();
  });
});
