import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { findExecutable } from '#platform/debian/executable';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import { connectRedis, openRedis } from '#platform/redis/redis-connection';
import { REFUSED } from '#platform/redis/redis-rights';
import { ScriptWatchdog } from '#platform/redis/script-watchdog';
import { silentLog } from '#platform/telemetry/log.port';
import { PATIENCE } from '#testing/patience';
import { type RedisUser, type ShippedRedis, startShippedRedis } from './redis-support/shipped-redis.js';

const LOOP = 'while true do end';
/** A loop that writes to a key of the resolver, so that Redis does not end it for SCRIPT KILL. */
const WRITING_LOOP = `redis.call('SET', 'flotilla:solution-v2:x', '1') ${LOOP}`;
const hasRedis = ['redis-server', 'valkey-server'].some(
  (name) => findExecutable(name, process.env['PATH'] ?? '') !== undefined,
);
if (!hasRedis) console.log('not tried: scripts that keep Redis busy need a redis-server on PATH');

describe.runIf(hasRedis)('scripts of a stolen resolver', () => {
  let redis: ShippedRedis;
  let folder = '';
  const open: Redis[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-scripts-'));
    const operator = ['--user', 'operator', 'on', 'nopass', '~*', '+@all'];
    redis = await startShippedRedis({ more: ['--busy-reply-threshold', '100', ...operator] });
  });
  afterAll(async () => {
    for (const connection of open) connection.disconnect();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const kept = (connection: Redis): Redis => {
    open.push(connection.on('error', () => undefined));
    return connection;
  };
  const as = (user: RedisUser): Redis => kept(connectRedis(redis.urlOf(user)));

  /** Makes a connection as poller and applier do, and collects the log of its watchdog. */
  function watched(user: RedisUser, database = '') {
    const said: string[] = [];
    const note = (fields: object, text?: string) => void said.push(`${text} ${JSON.stringify(fields)}`);
    const log = { ...silentLog, warn: note, error: note };
    const url = `${redis.urlOf(user)}${database}`;
    const scripts = new ScriptWatchdog({ url, log });
    const connection = openRedis(url, silentLog, undefined, undefined, (error) => scripts.note(error));
    return { redis: kept(connection.redis), said };
  }

  it.each(['poller', 'applier'] as const)('that do not end are ended by the %s', async (user) => {
    const { redis: watching, said } = watched(user, user === 'poller' ? '/3' : '');
    await watching.ping();
    const looping = as('resolver')
      .eval(LOOP, 0)
      .catch((error: Error) => error.message);
    const seen = () => watching.ping().catch((error: Error) => error.message);
    await expect
      .poll(() => said.join(), { ...PATIENCE, interval: 50 })
      .toMatch(/^$/)
      .catch(() => undefined);
    await vi.waitFor(async () => {
      await seen();
      expect(said.join()).toContain('ended a script that kept Redis busy');
    }, PATIENCE);
    expect(await looping).toMatch(/killed by user/i);
    expect(await seen()).toBe('PONG');
  });

  it.each(['resolver', 'console'] as const)('cannot be ended by the %s', async (user) => {
    await expect(as(user).script('KILL')).rejects.toThrow(REFUSED);
  });

  it('stay possible, since without EVAL those of the queues do not come back after SCRIPT FLUSH or a restart', async () => {
    const operator = kept(connectRedis(`redis://operator:x@${redis.address}`));
    const contract = { name: 'resolve', version: 1, schema: z.unknown(), keyOf: () => randomUUID() };
    const queue = new BullmqJobQueue(contract, { redis: as('resolver'), prefix: 'flotilla' });
    const waiting = () => operator.llen('flotilla:queue:resolve:wait');
    for (const known of [1, 2]) {
      await operator.script('FLUSH');
      await queue.add({ v: 1 });
      expect(await waiting()).toBe(known);
    }
    await operator.call('ACL', 'SETUSER', 'flotilla-resolver', '-eval');
    await operator.script('FLUSH');
    await expect(queue.add({ v: 1 })).rejects.toThrow(REFUSED);
    await operator.call('ACL', 'SETUSER', 'flotilla-resolver', '+eval');
    await queue.close();
  });

  it('that have written are ended by the health check of compose, with Redis', async () => {
    const { redis: watching, said } = watched('applier');
    await watching.ping();
    void as('resolver')
      .eval(WRITING_LOOP, 0)
      .catch(() => undefined);
    await vi.waitFor(async () => {
      await watching.ping().catch(() => undefined);
      expect(said.join()).toContain('could not end a script that keeps Redis busy');
    }, PATIENCE);
    expect(said.join()).toMatch(/UNKILLABLE.*restart Redis; its data is rebuilt/);
    const [, port = ''] = redis.address.split(':');
    const check = (silence: string) =>
      promisify(execFile)('sh', [join(PROJECT_ROOT, 'k8s/base/hub/redis-health.sh'), '-p', port], {
        env: { PATH: process.env['PATH'], REDIS_PID: String(redis.pid), REDIS_FOLDER: folder, REDIS_SILENCE: silence },
      }).then(
        () => 'healthy',
        ({ stdout }: { stdout: string }) => stdout.trim(),
      );
    const isRunning = () => {
      try {
        return process.kill(redis.pid, 0);
      } catch {
        return false;
      }
    };
    expect([await check('600'), isRunning()]).toEqual(['Redis does not answer PING', true]);
    await check('0');
    await expect.poll(isRunning, PATIENCE).toBe(false);
  });
});
