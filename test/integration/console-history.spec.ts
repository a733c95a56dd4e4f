import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findRedis } from '#platform/redis/find-redis';
import { RedisViewReader } from '#platform/view/redis-view-reader';
import { RedisViewWriter } from '#platform/view/redis-view-writer';
import { LONGEST_HISTORY } from '#platform/view/view-keys';
import { operatorRow } from '../../apps/console/src/console.fixture.js';

const FIRST = '2026-11-01T00:00:00Z';
const second = (at: number): string => new Date(Date.parse(FIRST) + at * 1_000).toISOString();
/** As many as are kept. */
const MOST = LONGEST_HISTORY;

let server: Awaited<ReturnType<typeof findRedis>>;
let redis: Redis;
let writer: RedisViewWriter;
let reader: RedisViewReader;
beforeAll(async () => {
  server = await findRedis({ log: () => undefined, preferExisting: false });
  redis = new Redis(server.url);
  writer = new RedisViewWriter(redis, 'flotilla');
  reader = new RedisViewReader(redis, 'flotilla');
});
beforeEach(() => redis.flushall());
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

/** Another version in each of these operators. */
const upgrade = (from: number, count: number, version: string, at: number) => {
  const changed = Array.from({ length: count }, (_, index) =>
    operatorRow('east', `lamp-${from + index}`, { installed: version, updatedAt: second(at) }),
  );
  return writer.write({ cluster: 'east', changed, removed: [] });
};

describe('since when changes are known', () => {
  it('is since the hub saw the fleet, while all changes are kept', async () => {
    await upgrade(0, 10, 'v1', 0);
    expect(await reader.history()).toEqual({ entries: [], knownSince: second(0) });
    await upgrade(0, 10, 'v2', 60);
    const { entries, knownSince } = await reader.history();
    expect([entries.length, knownSince]).toEqual([10, second(0)]);
  });

  it('moves on with the oldest change that is kept, once older ones were pushed out', async () => {
    await upgrade(0, MOST, 'v1', 0);
    await upgrade(0, MOST, 'v2', 60);
    await upgrade(0, 100, 'v3', 120);
    await upgrade(0, MOST, 'v4', 180);
    const { entries, knownSince } = await reader.history();
    expect([entries.length, entries.at(-1)?.at, knownSince]).toEqual([MOST, second(180), second(180)]);
  });
});
