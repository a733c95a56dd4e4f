import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { MemoryLeases } from '#platform/ownership/memory-leases';
import { RedisLeases } from '#platform/ownership/redis-leases';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { pause } from '#testing/patience';
import { leasesConformance } from './ownership-support/leases.conformance.js';

/** A timer may end a millisecond early, and the clock of Redis is read in whole ones. */
const EARLY_MS = 2;

describe('leases in memory', () => {
  leasesConformance(async () => {
    const clock = new ManualClock();
    return { leases: new MemoryLeases(clock), pass: (ms) => clock.advance(ms), dispose: async () => undefined };
  });
});

describe('leases in Redis', () => {
  let found: FoundRedis;
  beforeAll(async () => {
    found = await findRedis({ log: (line) => console.log(line), preferExisting: false });
  });
  afterAll(() => found.stop());

  const make = ({ prefix = randomUUID() as string, role = 'applier', shards = 16 } = {}) => {
    const redis = connectRedis(found.url);
    const leases = new RedisLeases(redis, { prefix, role, shards });
    const exchange = (member: string, wanted: readonly number[]) =>
      leases.exchange({ member, ending: false, wanted, leaseMs: 10_000 });
    return { redis, leases, exchange, prefix, dispose: async () => redis.disconnect() };
  };

  leasesConformance(async () => ({ ...make(), pass: (ms) => pause(ms + EARLY_MS) }));

  it('of each kind of process, and of each number of shards, are apart', async () => {
    const appliers = make();
    const others = [make({ ...appliers, role: 'poller' }), make({ ...appliers, shards: 32 })];
    try {
      await appliers.exchange('a', [1]);
      for (const { exchange } of others) {
        const { members, leases } = await exchange('b', [1]);
        expect([[...members.keys()], leases.get(1)?.owner]).toEqual([['b'], 'b']);
      }
    } finally {
      for (const { dispose } of [appliers, ...others]) await dispose();
    }
  });

  it('are taken anew once Redis was emptied, in another epoch and with greater fencing numbers', async () => {
    const { redis, exchange, dispose } = make();
    try {
      const before = await exchange('a', [1]);
      await redis.flushall();
      await pause(5); // numbers go on from the time, in milliseconds
      const after = await exchange('a', [1]);
      expect(after.epoch).not.toBe(before.epoch);
      expect(after.leases.get(1)?.fence).toBeGreaterThan(before.leases.get(1)?.fence ?? Number.NaN);
    } finally {
      await dispose();
    }
  });

  it('that were damaged count as free', async () => {
    const { redis, exchange, prefix, dispose } = make();
    try {
      const key = `${prefix}:shards:applier:16`;
      await redis.hset(key, { 1: 'damaged', 2: '', 'member b': 'damaged' });
      const { members, leases } = await exchange('a', [1, 2]);
      expect([[...members.keys()], [...leases.values()].map(({ owner }) => owner)]).toEqual([['a'], ['a', 'a']]);
    } finally {
      await dispose();
    }
  });
});
