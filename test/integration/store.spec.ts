import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalHash } from '#core/canonical/canonical-json';
import { type FoundRedis, findRedis } from '#platform/redis/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { ValueTooLarge } from '#platform/store/problem-store.port';
import { RedisProblemStore } from '#platform/store/redis-problem-store';
import { byHash, problem, problemStoreConformance, record } from './store-support/problem-store.conformance.js';

describe('problem store in memory', () => {
  problemStoreConformance(() => new MemoryProblemStore());
});

describe('problem store on Redis', () => {
  let found: FoundRedis;
  let redis: Redis;
  beforeAll(async () => {
    found = await findRedis({ log: (line) => console.log(line), preferExisting: false });
    redis = connectRedis(found.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await found.stop();
  });

  problemStoreConformance(() => new RedisProblemStore(redis, { prefix: randomUUID() }));

  it('everything it writes goes by itself after its time', async () => {
    const prefix = randomUUID();
    const store = new RedisProblemStore(redis, { prefix, ttlSeconds: 100 });
    const of = record('etcd');
    const hash = await store.putProblem(problem('apps', [of]), byHash(of));
    await store.putSolution(hash, { result: 'error', message: 'no', advice: 'none' });
    await store.putObservation('east', 'apps', { problem: hash });
    await store.waitFor(hash, { cluster: 'east', namespace: 'apps' });
    await store.takeWaiters(hash);
    await store.waitFor(hash, { cluster: 'east', namespace: 'apps' });
    const keys = await redis.keys(`${prefix}:*`);
    expect(keys.length).toBe(6);
    for (const key of keys) expect(await redis.ttl(key), key).toBeGreaterThan(0);
  });

  it('reading and storing again start the time anew, so that what is in use stays', async () => {
    const prefix = randomUUID();
    const of = record('etcd');
    const short = new RedisProblemStore(redis, { prefix, ttlSeconds: 50 });
    const hash = await short.putProblem(problem('apps', [of]), byHash(of));
    const long = new RedisProblemStore(redis, { prefix, ttlSeconds: 5_000 });
    await long.getProblem(hash);
    await long.putProblem(problem('other', [of]), byHash(of));
    expect(await redis.ttl(`${prefix}:problem:${hash}`)).toBeGreaterThan(50);
    expect(await redis.ttl(`${prefix}:record:${canonicalHash(of)}`)).toBeGreaterThan(50);
  });

  it.each([
    { bytes: Buffer.from('\u0000{"v":1}'), because: 'another value under that hash' },
    { bytes: Buffer.from('\u0001not deflated'), because: 'damaged bytes' },
    { bytes: Buffer.from('\u0007?'), because: 'a form of a later release' },
    { bytes: Buffer.alloc(0), because: 'nothing at all' },
  ])('a stored problem that is $because is not there, and is written again', async ({ bytes }) => {
    const prefix = randomUUID();
    const store = new RedisProblemStore(redis, { prefix });
    const value = problem('apps', []);
    const hash = canonicalHash(value);
    await redis.set(`${prefix}:problem:${hash}`, bytes);
    expect(await store.getProblem(hash)).toBeUndefined();
    await store.putProblem(value, new Map());
    expect(await store.getProblem(hash)).toEqual(value);
  });

  it('refuses a value beyond the bound, on the way in and on the way out', async () => {
    const prefix = randomUUID();
    const big = record('etcd', 'x'.repeat(200_000));
    const hash = canonicalHash(big);
    const small = new RedisProblemStore(redis, { prefix, maxValueBytes: 100_000 });
    await expect(small.putProblem(problem('apps', [big]), byHash(big))).rejects.toThrow(ValueTooLarge);
    await new RedisProblemStore(redis, { prefix }).putProblem(problem('apps', [big]), byHash(big));
    expect(await small.getRecord(hash)).toBeUndefined();
  });
});
