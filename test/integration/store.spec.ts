import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { HubKey } from '#platform/keys/hub-key';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { ValueTooLarge } from '#platform/store/problem-store.port';
import { RedisProblemStore } from '#platform/store/redis-problem-store';
import { byHash, problem, problemStoreConformance, record } from './store-support/problem-store.conformance.js';

const key = HubKey.random();
const KINDS = ['Subscription', 'ClusterServiceVersion', 'OperatorGroup'];

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
        onRefused: (cluster, what, count) => void forged.push(`${cluster} ${what} ${count}`),
      });
      await poller.putObservation(...place, { problem: hash });
      await poller.putSeen(...place, { Subscription: '7', ClusterServiceVersion: '9' });
      return { prefix, forged, poller, applier };
    }

    it('gives what the poller wrote', async () => {
      const { applier, forged } = await written();
      expect(await applier.getObservation(...place)).toEqual({ problem: hash });
      expect(await applier.getSeen(...place, KINDS)).toEqual({ Subscription: '7', ClusterServiceVersion: '9' });
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
      const name = `${prefix}:observation-v3:east/apps`;
      await redis.set(name, await forge((await redis.get(name)) ?? ''));
      expect(await applier.getObservation(...place)).toBeUndefined();
      expect(forged).toEqual(['east observation 1']);
    });

    it('gives no observation of another namespace, cluster or family', async () => {
      const { prefix, applier, forged } = await written();
      const held = (await redis.get(`${prefix}:observation-v3:east/apps`)) ?? '';
      await redis.mset(`${prefix}:observation-v3:east/other`, held, `${prefix}:observation-v3:west/apps`, held);
      await redis.set(`${prefix}:extensions:observation-v3:east/apps`, held);
      expect(await applier.getObservation('east', 'other')).toBeUndefined();
      expect(await applier.getObservation('west', 'apps')).toBeUndefined();
      const extensions = new RedisProblemStore(redis, { key, prefix: `${prefix}:extensions` });
      expect(await extensions.getObservation('east', 'apps')).toBeUndefined();
      expect(forged).toEqual(['east observation 1', 'west observation 1']);
    });

    it('gives no version of a kind that was changed or moved, and the others all the same', async () => {
      const { prefix, applier, forged } = await written();
      const name = `${prefix}:seen-v2:east/apps`;
      await redis.hset(name, {
        ClusterServiceVersion: (await redis.hget(name, 'Subscription')) ?? '',
        OperatorGroup: '1',
      });
      expect(await applier.getSeen(...place, KINDS)).toEqual({ Subscription: '7' });
      expect(forged).toEqual(['east seen 2']);
      expect(await redis.hkeys(name)).toEqual(['Subscription']);
    });

    it('reads and reports no more of a namespace than the kinds that are asked for, however much was written', async () => {
      const { prefix, applier, forged } = await written();
      const name = `${prefix}:seen-v2:east/apps`;
      const junk = Array.from({ length: 20_000 }, (_, index) => [`Kind${index}`, `${index} x`]);
      await redis.hset(name, Object.fromEntries(junk));
      await redis.hset(name, 'OperatorGroup', 'x'.repeat(5_000_000));
      expect(await applier.getSeen(...place, KINDS)).toEqual({ Subscription: '7', ClusterServiceVersion: '9' });
      expect(forged).toEqual(['east seen 1']);
      await redis.set(`${prefix}:observation-v3:east/apps`, 'x'.repeat(5_000_000));
      expect(await applier.getObservation(...place)).toBeUndefined();
      expect(forged).toEqual(['east seen 1', 'east observation 1']);
    });

    it('reads all kinds of a namespace with one command within a script', async () => {
      const { applier } = await written();
      const calls = async () =>
        [...(await redis.info('commandstats')).matchAll(/^cmdstat_(\w+):calls=(\d+)/gm)]
          .filter(([, command]) => command !== 'info')
          .reduce((sum, [, , count]) => sum + Number(count), 0);
      await applier.getSeen(...place, KINDS);
      const before = await calls();
      await applier.getSeen(...place, KINDS);
      expect((await calls()) - before).toBe(2);
    });

    it('leaves what is no waiter out, and wakes the others', async () => {
      const { prefix, poller, applier } = await written();
      await poller.waitFor(hash, { cluster: 'east', namespace: 'apps' });
      const junk = ['not JSON', '{}', '[]', '{"cluster":"east","namespace":7}', `"${'x'.repeat(10_000)}"`];
      await redis.sadd(`${prefix}:waiters:${hash}`, ...junk);
      expect(await applier.takeWaiters(hash)).toEqual([{ cluster: 'east', namespace: 'apps' }]);
    });

    it('lets a process without the key write no observation', async () => {
      const resolver = new RedisProblemStore(redis, { prefix: randomUUID() });
      await expect(resolver.putObservation(...place, { problem: hash })).rejects.toThrow(/key of the hub/);
    });
  });

  describe('that something writes old observations to', () => {
    const place = ['east', 'apps'] as const;
    const [older, newer] = ['a'.repeat(64), 'b'.repeat(64)];
    const minute = 60_000;
    function fixture() {
      const prefix = randomUUID();
      const clock = { ms: 1_000 * minute };
      const refused: string[] = [];
      const store = (skewMs = 0) =>
        new RedisProblemStore(redis, {
          key,
          prefix,
          now: () => clock.ms + skewMs,
          observationMaxAgeMs: 30 * minute,
          onRefused: (_, what) => void refused.push(what),
        });
      const name = `${prefix}:observation-v3:east/apps`;
      const keep = async () => (await redis.get(name)) ?? '';
      const replay = (held: string) => redis.set(name, held);
      return { clock, refused, store, keep, replay };
    }

    it('never gives an older one to an applier that has taken a newer one, and has the poller observe anew', async () => {
      const { clock, refused, store, keep, replay } = fixture();
      const [poller, applier] = [store(), store()];
      await poller.putObservation(...place, { problem: older });
      const held = await keep();
      clock.ms += minute;
      await poller.putObservation(...place, { problem: newer });
      expect(await applier.getObservation(...place)).toEqual({ problem: newer });
      await replay(held);
      expect(await applier.getObservation(...place)).toBeUndefined();
      expect(refused).toEqual(['replayed-observation']);
      await poller.putObservation(...place, { problem: newer });
      expect(await applier.getObservation(...place)).toEqual({ problem: newer });
    });

    it('gives one that is too old to no applier, also not to one that has just started', async () => {
      const { clock, refused, store, keep, replay } = fixture();
      await store().putObservation(...place, { problem: older });
      const held = await keep();
      clock.ms += 31 * minute;
      await store().putObservation(...place, { problem: newer });
      await replay(held);
      expect(await store().getObservation(...place)).toBeUndefined();
      expect(refused).toEqual([]);
    });

    it('at most gives an applier that has taken no newer one an observation of the last 30 minutes', async () => {
      const { clock, store, keep, replay } = fixture();
      await store().putObservation(...place, { problem: older });
      const held = await keep();
      clock.ms += 29 * minute;
      await store().putObservation(...place, { problem: newer });
      await replay(held);
      expect(await store().getObservation(...place)).toEqual({ problem: older });
    });

    it.each([
      { days: -2, because: 'behind' },
      { days: 2, because: 'ahead' },
    ])('works on with a poller whose clock is $because, and when it is set right', async ({ days }) => {
      const { clock, store } = fixture();
      const applier = store();
      const passes = async (poller: ReturnType<typeof store>, problem: string) => {
        for (let observed = 1; ; observed++) {
          await poller.putObservation(...place, { problem });
          if ((await applier.getObservation(...place))?.problem === problem) return observed;
          if (observed === 3) return undefined;
        }
      };
      expect(await passes(store(), older)).toBe(1);
      clock.ms += minute;
      expect(await passes(store(days * 1_440 * minute), newer)).toBeLessThanOrEqual(2);
      clock.ms += minute;
      expect(await passes(store(), older)).toBeLessThanOrEqual(2);
      await redis.flushall();
      expect(await passes(store(), newer)).toBeLessThanOrEqual(2);
    });
  });

  describe('what was published', () => {
    const subject = { cluster: 'east', namespace: 'apps' };
    const of = record('etcd');
    const value = problem('apps', [of]);
    async function fixture() {
      const prefix = randomUUID();
      const clock = { ms: 1_000_000_000 };
      const make = () => new RedisProblemStore(redis, { key, prefix, now: () => clock.ms });
      const poller = make();
      const hash = await poller.putProblem(value, byHash(of));
      await poller.putObservation('east', 'apps', { problem: hash });
      await poller.putSolution(hash, { result: 'error', message: 'no', advice: 'none' });
      const stands = (store = poller) =>
        store.isPublished({ subject, owner: subject, problem: hash, records: [canonicalHash(of)] });
      expect(await stands()).toBe(true);
      return { prefix, clock, make, poller, hash, stands };
    }

    it('is put again after Redis was emptied, and where one part is missing', async () => {
      const { prefix, poller, hash, stands } = await fixture();
      for (const missing of [`problem:${hash}`, `record:${canonicalHash(of)}`, `solution-v2:${hash}`]) {
        const held = await redis.getBuffer(`${prefix}:${missing}`);
        await redis.del(`${prefix}:${missing}`);
        expect(await stands(), missing).toBe(false);
        await redis.set(`${prefix}:${missing}`, held ?? '');
        expect(await stands(), missing).toBe(true);
      }
      await redis.flushall();
      expect(await stands()).toBe(false);
      await poller.putProblem(value, byHash(of));
      await poller.putObservation('east', 'apps', { problem: hash });
      expect(await stands(), 'without a solution').toBe(false);
    });

    it('is put again by another process, after a minute, and where the observation is another one', async () => {
      const { prefix, clock, make, poller, hash, stands } = await fixture();
      expect(await stands(make())).toBe(false);
      const held = (await redis.get(`${prefix}:observation-v3:east/apps`)) ?? '';
      clock.ms += 10_000;
      await poller.putObservation('east', 'apps', { problem: hash });
      await redis.set(`${prefix}:observation-v3:east/apps`, held);
      expect(await stands(), 'an older one with the same problem').toBe(false);
      await poller.putObservation('east', 'apps', { problem: hash });
      expect(await stands()).toBe(true);
      clock.ms += 60_000;
      expect(await stands()).toBe(false);
    });

    it('is put again when an applier demands a newer one', async () => {
      const { clock, make, poller, hash, stands } = await fixture();
      const applier = make();
      await applier.getObservation('east', 'apps');
      clock.ms += 2 * 3_600_000;
      await applier.getObservation('east', 'apps');
      clock.ms -= 2 * 3_600_000;
      expect(await stands()).toBe(false);
      await poller.putObservation('east', 'apps', { problem: hash });
      clock.ms += 2 * 3_600_000;
      expect(await applier.getObservation('east', 'apps')).toEqual({ problem: hash });
    });

    it('has the subject among the waiters once, and they go after their time', async () => {
      const { prefix, poller, hash, stands } = await fixture();
      await stands();
      expect(await redis.ttl(`${prefix}:waiters:${hash}`)).toBeGreaterThan(0);
      expect(await poller.takeWaiters(hash)).toEqual([subject]);
    });
  });

  it('what was seen goes after its time, also when it was removed in between', async () => {
    const prefix = randomUUID();
    const store = new RedisProblemStore(redis, { key, prefix });
    await store.putSeen('east', 'apps', { Subscription: '7' });
    await store.putSeen('east', 'apps', { Subscription: '8' });
    expect(await redis.ttl(`${prefix}:seen-v2:east/apps`)).toBeGreaterThan(0);
    await redis.flushall();
    await store.putSeen('east', 'apps', { Subscription: '9' });
    expect(await redis.ttl(`${prefix}:seen-v2:east/apps`)).toBeGreaterThan(0);
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

  it('reading starts the time anew once in an hour of a day, so that most reads are one command', async () => {
    const prefix = randomUUID();
    const clock = { ms: Date.now() };
    const of = record('etcd');
    const store = new RedisProblemStore(redis, { key, prefix, ttlSeconds: 86_400, now: () => clock.ms });
    const hash = await store.putProblem(problem('apps', [of]), byHash(of));
    const name = `${prefix}:problem:${hash}`;
    const ttlAfterReading = async (minutes: number) => {
      clock.ms += minutes * 60_000;
      await store.getProblem(hash);
      return redis.ttl(name);
    };
    await redis.expire(name, 1_000);
    expect(await ttlAfterReading(0)).toBeGreaterThan(86_000);
    await redis.expire(name, 1_000);
    expect(await ttlAfterReading(59)).toBeLessThanOrEqual(1_000);
    expect(await ttlAfterReading(1)).toBeGreaterThan(86_000);
    await redis.expire(name, 1_000);
    expect(await ttlAfterReading(-600), 'a clock that was set back').toBeGreaterThan(86_000);
  });

  it('a resolver, which has no key of the hub, leaves a damaged problem to the applier', async () => {
    const prefix = randomUUID();
    const resolver = new RedisProblemStore(redis, { prefix });
    const name = `${prefix}:problem:${canonicalHash(problem('apps', []))}`;
    await redis.set(name, Buffer.from('\u0000{"v":1}'));
    expect(await resolver.getProblem(canonicalHash(problem('apps', [])))).toBeUndefined();
    expect(await redis.exists(name)).toBe(1);
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
