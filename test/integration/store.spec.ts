import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalHash } from '#core/canonical/canonical-json';
import { HubKey } from '#platform/hub/hub-key';
import { type FoundRedis, findRedis } from '#platform/redis/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { ValueTooLarge } from '#platform/store/problem-store.port';
import { RedisProblemStore } from '#platform/store/redis-problem-store';
import { byHash, problem, problemStoreConformance, record } from './store-support/problem-store.conformance.js';

const key = HubKey.random();

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

  problemStoreConformance(() => new RedisProblemStore(redis, { key, prefix: randomUUID() }));

  describe('that something without the key of the hub writes to', () => {
    const place = ['east', 'apps'] as const;
    const hash = 'a'.repeat(64);
    async function written() {
      const prefix = randomUUID();
      const forged: string[] = [];
      const poller = new RedisProblemStore(redis, { key, prefix });
      const applier = new RedisProblemStore(redis, {
        key,
        prefix,
        onForged: (cluster, what) => void forged.push(`${cluster} ${what}`),
      });
      await poller.putObservation(...place, { problem: hash });
      await poller.putSeen(...place, { Subscription: '7', ClusterServiceVersion: '9' });
      return { prefix, forged, poller, applier };
    }

    it('gives what the poller wrote', async () => {
      const { applier, forged } = await written();
      expect(await applier.getObservation(...place)).toEqual({ problem: hash });
      expect(await applier.getSeen(...place)).toEqual({ Subscription: '7', ClusterServiceVersion: '9' });
      expect(forged).toEqual([]);
    });

    it.each([
      ['no code', async () => 'b'.repeat(64)],
      ['a code of its own', async () => `${'b'.repeat(64)} ${HubKey.random().codeOf(['observation'])}`],
      ['the code of another problem', async (held: string) => held.replace(/^a+/, 'b'.repeat(64))],
      ['more behind the code', async (held: string) => `${held} x`],
      ['the observation in the form of JSON', async () => JSON.stringify({ problem: 'b'.repeat(64) })],
    ])('gives no observation with %s, and reports it', async (_, forge) => {
      const { prefix, applier, forged } = await written();
      const name = `${prefix}:observation-v2:east/apps`;
      await redis.set(name, await forge((await redis.get(name)) ?? ''));
      expect(await applier.getObservation(...place)).toBeUndefined();
      expect(forged).toEqual(['east observation']);
    });

    it('gives no observation of another namespace, cluster or family', async () => {
      const { prefix, applier, forged } = await written();
      const held = (await redis.get(`${prefix}:observation-v2:east/apps`)) ?? '';
      await redis.mset(`${prefix}:observation-v2:east/other`, held, `${prefix}:observation-v2:west/apps`, held);
      await redis.set(`${prefix}:extensions:observation-v2:east/apps`, held);
      expect(await applier.getObservation('east', 'other')).toBeUndefined();
      expect(await applier.getObservation('west', 'apps')).toBeUndefined();
      const extensions = new RedisProblemStore(redis, { key, prefix: `${prefix}:extensions` });
      expect(await extensions.getObservation('east', 'apps')).toBeUndefined();
      expect(forged).toEqual(['east observation', 'west observation']);
    });

    it('gives no version of a kind that was changed or moved, and the others all the same', async () => {
      const { prefix, applier, forged } = await written();
      const name = `${prefix}:seen-v2:east/apps`;
      await redis.hset(name, {
        ClusterServiceVersion: (await redis.hget(name, 'Subscription')) ?? '',
        OperatorGroup: '1',
      });
      expect(await applier.getSeen(...place)).toEqual({ Subscription: '7' });
      expect(forged.toSorted()).toEqual(['east seen', 'east seen']);
    });

    it('lets a process without the key write no observation', async () => {
      const resolver = new RedisProblemStore(redis, { prefix: randomUUID() });
      await expect(resolver.putObservation(...place, { problem: hash })).rejects.toThrow(/key of the hub/);
    });
  });

  it('everything it writes goes by itself after its time', async () => {
    const prefix = randomUUID();
    const store = new RedisProblemStore(redis, { key, prefix, ttlSeconds: 100 });
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
    const short = new RedisProblemStore(redis, { key, prefix, ttlSeconds: 50 });
    const hash = await short.putProblem(problem('apps', [of]), byHash(of));
    const long = new RedisProblemStore(redis, { key, prefix, ttlSeconds: 5_000 });
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
    const store = new RedisProblemStore(redis, { key, prefix });
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
    const small = new RedisProblemStore(redis, { key, prefix, maxValueBytes: 100_000 });
    await expect(small.putProblem(problem('apps', [big]), byHash(big))).rejects.toThrow(ValueTooLarge);
    await new RedisProblemStore(redis, { key, prefix }).putProblem(problem('apps', [big]), byHash(big));
    expect(await small.getRecord(hash)).toBeUndefined();
  });
});
