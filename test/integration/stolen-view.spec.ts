import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisActionSender } from '#platform/console/redis-action-channel';
import { findExecutable } from '#platform/debian/executable';
import { connectRedis } from '#platform/redis/redis-connection';
import { RedisHubReports } from '#platform/view/redis-hub-reports';
import { RedisViewReader } from '#platform/view/redis-view-reader';
import { type RedisUser, type ShippedRedis, startShippedRedis } from './redis-support/shipped-redis.js';

const hasRedis = ['redis-server', 'valkey-server'].some(
  (name) => findExecutable(name, process.env['PATH'] ?? '') !== undefined,
);
if (!hasRedis) console.log('not tried: what the console reads needs a redis-server on PATH');

const PREFIX = 'flotilla';
const STREAM = `${PREFIX}:view:stream`;
const MOST = 18 * 1_024 * 1_024;
const row = (instance: string, updatedAt: string) => ({
  ...{ service: 'applier', instance, version: '1', updatedAt },
  ...{ checks: [], queues: [], slowest: [] },
});

/** S16: an attacker who writes to Redis with the password of another service, and the console's reader. */
describe.runIf(hasRedis)('what other services write for the console', () => {
  let redis: ShippedRedis;
  const endings: (() => unknown)[] = [];
  beforeAll(async () => {
    redis = await startShippedRedis({ prefix: PREFIX });
  });
  afterAll(async () => {
    for (const end of endings) await end();
    await redis?.stop();
  });
  const as = (user: RedisUser): Redis => {
    const connection = connectRedis(redis.urlOf(user));
    endings.push(() => connection.disconnect());
    return connection;
  };

  it('is received in bounds: reports of a stolen resolver', async () => {
    const resolver = as('resolver');
    const long = "redis.call('HSET', KEYS[1], ARGV[1], string.rep('x', 17 * 1024 * 1024))";
    for (const name of ['a', 'b', 'c']) await resolver.eval(long, 1, `${PREFIX}:view:hub`, name);
    const reports = new RedisHubReports(as('applier'), PREFIX);
    await reports.put(row('one', '2026-01-01T00:00:00Z'));
    const connection = as('console');
    const reader = new RedisViewReader(connection, PREFIX);
    expect(await reader.hub()).toEqual([row('one', '2026-01-01T00:00:00Z')]);
    expect(connection.stream.bytesRead).toBeLessThan(MOST);
    await reports.forgetBefore(new Date('2025-01-01'));
    expect(await resolver.hkeys(`${PREFIX}:view:hub`), 'what cannot be read goes').toEqual(['one']);
  });

  it('is received in bounds: results of a stolen applier', async () => {
    const target = { cluster: 'east', namespace: 'team', name: 'install-1', outcome: 'done', message: '' };
    const applier = as('applier');
    const key = `${PREFIX}:console:results:1`;
    const long = "redis.call('HSET', KEYS[1], ARGV[1], string.rep('x', 17 * 1024 * 1024))";
    for (const name of ['a', 'b']) await applier.eval(long, 1, key, name);
    await applier.hset(key, 'c', JSON.stringify(target));
    const connection = as('console');
    expect(await new RedisActionSender(connection, PREFIX).results('1')).toMatchObject([target]);
    expect(connection.stream.bytesRead).toBeLessThan(MOST);
  });

  it('is received in bounds: changes of a stolen poller', async () => {
    const poller = as('poller');
    const connection = as('console');
    const waiting: Redis[] = [];
    const { duplicate } = connection;
    connection.duplicate = (...given) => {
      const made = duplicate.apply(connection, given);
      waiting.push(made);
      return made;
    };
    const reader = new RedisViewReader(connection, PREFIX);
    endings.push(() => reader.close());
    const first = await poller.xadd(STREAM, '*', 'cluster', 'east', 'id', 'a');
    const { epoch, place } = await reader.load();
    expect(place).toBe(first);
    const long = "redis.call('XADD', KEYS[1], '*', 'cluster', 'east', 'id', string.rep('x', 17 * 1024 * 1024))";
    for (let sent = 0; sent < 3; sent += 1) await poller.eval(long, 1, STREAM);
    expect(await reader.changesAfter(epoch, place, 10)).toBe('lost');
    expect(waiting.map(({ stream }) => stream.bytesRead < MOST)).toEqual([true]);
    const again = await reader.load();
    await poller.xadd(STREAM, '*', 'cluster', 'east', 'id', 'b');
    expect(await reader.changesAfter(epoch, again.place, 10)).toMatchObject({
      changes: [{ cluster: 'east', removed: ['b'] }],
    });
    expect(connection.stream.bytesRead).toBeLessThan(MOST);
  });
});
