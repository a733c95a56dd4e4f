import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import type { ResolveJob, SubjectJob } from '#platform/queue/jobs';
import { MemoryJobQueue } from '#platform/queue/memory-job-queue';
import { redisQueues } from '#platform/queue/queues';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { PATIENCE, pause } from '#testing/patience';
import { jobQueueConformance, recorder } from './queue-support/job-queue.conformance.js';
import { redisCalls } from './queue-support/redis-calls.js';
import { type ThingJob, thing, thingContract, thingOf } from './queue-support/thing.contract.js';
import { runChild } from './redis-support/run-child.js';

/** A fifth of the production value, which `test/e2e/takeover.spec.ts` has. */
const LOCK_MS = 2_000;
const backoff = { firstMs: 40, longestMs: 200 };

describe('the queue in memory', () => {
  jobQueueConformance(async (options = {}) => {
    const queue = new MemoryJobQueue(thingContract, { backoff, ...options });
    return { queue, dispose: () => queue.close({ deadlineMs: 0 }) };
  });
});

describe('the queue on Redis', () => {
  let found: FoundRedis;
  beforeAll(async () => {
    found = await findRedis({ log: (line) => console.log(line), preferExisting: false });
  });
  afterAll(() => found.stop());

  const make = (prefix: string = randomUUID(), options = {}) => {
    const redis = connectRedis(found.url);
    const queue = new BullmqJobQueue(thingContract, { redis, prefix, backoff, ...options });
    const dispose = async () => {
      await queue.close({ deadlineMs: 0 }).catch(() => undefined);
      redis.disconnect();
    };
    return { queue, dispose, redis };
  };

  jobQueueConformance(async (options = {}) => make(undefined, options));

  it('a job whose worker was killed with SIGKILL is taken over by another', async () => {
    const prefix = randomUUID();
    const child = runChild(new URL('./queue-support/stuck-worker.child.ts', import.meta.url), [
      found.url,
      prefix,
      `${LOCK_MS}`,
    ]);
    await child.line('ready');
    const { queue, dispose } = make(prefix, { lockDurationMs: LOCK_MS, stalledIntervalMs: LOCK_MS / 2 });
    try {
      await queue.add(thing('a'));
      await child.line('started a');
      await queue.add(thing('a')); // and what was added meanwhile is not lost either
      child.process.kill('SIGKILL');
      const killed = Date.now();
      const it = recorder();
      await queue.process(it.handler, { concurrency: 1 });
      await expect.poll(() => it.runs.length, PATIENCE).toBeGreaterThan(0);
      console.log(`taken over ${((Date.now() - killed) / 1_000).toFixed(1)} s after the kill`);
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a', 'a']);
    } finally {
      await dispose();
    }
  });

  it.for(['resolve', 'apply'] as const)(
    'the %s queue takes the first job of a cluster among its first',
    async (name) => {
      const redis = connectRedis(found.url);
      const queues = redisQueues({ redis, prefix: randomUUID(), backoff });
      const jobOf = (cluster: string, at: number) => {
        const owner = { cluster, namespace: `team-${at}` };
        if (name === 'apply') return queues.apply.add({ v: 1, ...owner });
        return queues.resolve.add({
          v: 1,
          problem: (cluster === 'west' ? 'a' : 'b') + `${at}`.padStart(63, '0'),
          owner,
        });
      };
      const taken: string[] = [];
      try {
        await Promise.all(Array.from({ length: 1_000 }, (_, at) => jobOf('west', at)));
        await jobOf('east', 1);
        const take = async (job: SubjectJob | ResolveJob) => {
          taken.push('cluster' in job ? job.cluster : (job.owner?.cluster ?? ''));
        };
        await queues[name].process(take, { concurrency: 1 });
        await expect.poll(() => taken.length, PATIENCE).toBe(1_001);
        expect(taken.indexOf('east')).toBeLessThan(4);
      } finally {
        await queues[name].close({ deadlineMs: 0 });
        redis.disconnect();
      }
    },
  );

  it('a waiting job takes the earlier turn that another process gives it', async () => {
    const prefix = randomUUID();
    const [busy, other] = [make(prefix), make(prefix)];
    try {
      for (let at = 0; at < 20; at++) await busy.queue.add(thingOf('west', `west-${at}`));
      await other.queue.add(thingOf('west', 'west-19'));
      const it = recorder();
      await other.queue.process(it.handler, { concurrency: 1 });
      await expect.poll(() => it.runs.length, PATIENCE).toBe(20);
      expect(it.runs.indexOf('west-19')).toBeLessThan(3);
    } finally {
      await Promise.all([busy.dispose(), other.dispose()]);
    }
  });

  it('a duplicate that is not more urgent reads no job from Redis', async () => {
    const { queue, dispose, redis } = make();
    const reads = async () => Number(/cmdstat_hgetall:calls=([0-9]+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    try {
      await queue.add(thingOf('west', 'a'));
      const before = await reads();
      for (let count = 0; count < 20; count++) await queue.add(thingOf('west', 'a'));
      expect((await reads()) - before).toBe(0);
      expect((await queue.counts()).waiting).toBe(1);
    } finally {
      await dispose();
    }
  });

  it('a job that is added again and again while it waits is not written again, and takes four commands each', async () => {
    const { queue, dispose, redis } = make();
    try {
      await queue.add(thingOf('west', 'a'));
      await queue.add(thingOf('west', 'a'));
      const before = await redisCalls(redis);
      for (let count = 0; count < 20; count++) await queue.add(thingOf('west', 'a'));
      const { xadd, all } = await redisCalls(redis);
      expect(xadd - before.xadd).toBe(0);
      expect(all - before.all).toBeLessThan(5 * 20);
      expect((await queue.counts()).waiting).toBe(1);
    } finally {
      await dispose();
    }
  });

  it('a job that is added again and again while it runs runs once more', async () => {
    const { queue, dispose } = make();
    try {
      const it = recorder();
      it.hold.add('a');
      await queue.process(it.handler, { concurrency: 1 });
      await queue.add(thingOf('west', 'a'));
      await expect.poll(() => it.runs.length, PATIENCE).toBe(1);
      for (let count = 0; count < 5; count++) await queue.add(thingOf('west', 'a'));
      it.release('a');
      await expect.poll(() => it.runs.length, PATIENCE).toBe(2);
      await queue.add(thingOf('west', 'a'));
      await expect.poll(() => it.runs.length, PATIENCE).toBe(3);
    } finally {
      await dispose();
    }
  });

  it('a job that is done leaves nothing in Redis, and is counted', async () => {
    const prefix = randomUUID();
    const { queue, dispose, redis } = make(prefix);
    try {
      const it = recorder();
      await queue.process(it.handler, { concurrency: 1 });
      for (const name of ['a', 'b', 'c']) await queue.add(thing(name));
      await expect.poll(async () => (await queue.counts()).completed, PATIENCE).toBe(3);
      const jobs = await redis.keys(`${prefix}:queue:things:*-*-*`);
      expect(jobs).toEqual([]);
      expect(await queue.counts()).toEqual({
        waiting: 0,
        active: 0,
        delayed: 0,
        completed: 3,
        failed: 0,
        'set-aside': 0,
      });
    } finally {
      await dispose();
    }
  });

  it('a job that is due soon is not sent to Redis again and again', async () => {
    const { queue, dispose, redis } = make();
    const writes = async () => Number(/cmdstat_zadd:calls=([0-9]+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    try {
      const before = await writes();
      for (let count = 0; count < 40; count++) await queue.add(thing('a'), { delayMs: 2_000 });
      expect((await writes()) - before).toBeLessThan(20);
    } finally {
      await dispose();
    }
  });

  it('a job that was delayed for less, then for longer, is not lost when it is delayed again after it ran', async () => {
    const { queue, dispose } = make();
    try {
      const it = recorder();
      await queue.process(it.handler, { concurrency: 1 });
      await queue.add(thing('a'), { delayMs: 2_200 });
      await queue.add(thing('a'), { delayMs: 3_500 });
      await expect.poll(() => it.runs.length, PATIENCE).toBe(1);
      await queue.add(thing('a'), { delayMs: 1_500 });
      await expect.poll(() => it.runs.length, PATIENCE).toBe(2);
    } finally {
      await dispose();
    }
  });

  it('a job that is delayed for longer is set again after Redis was emptied', async () => {
    const { queue, dispose, redis } = make();
    try {
      await queue.add(thing('a'), { delayMs: 60_000 });
      await redis.flushall();
      await queue.add(thing('a'), { delayMs: 60_000 });
      expect((await queue.counts()).delayed).toBe(1);
    } finally {
      await dispose();
    }
  });

  it('idle queues of a process ask Redis together for what is due, once in a second', async () => {
    const redis = connectRedis(found.url);
    const queues = redisQueues({ redis, prefix: randomUUID(), backoff });
    const took: string[] = [];
    const scripts = async () => Number(/cmdstat_evalsha:calls=([0-9]+)/.exec(await redis.info('commandstats'))?.[1]);
    const idle = [queues.apply, queues.observe, queues.solved];
    try {
      await queues.apply.process(async () => undefined, { concurrency: 1 });
      const take = async (job: SubjectJob) => void took.push('namespace' in job ? job.namespace : '');
      await queues.observe.process(take, { concurrency: 1 });
      await queues.solved.process(async () => undefined, { concurrency: 1 });
      await queues.observe.add({ v: 1, cluster: 'east', namespace: 'first' }, { delayMs: 1 });
      await expect.poll(() => took, PATIENCE).toEqual(['first']);
      const before = await scripts();
      const since = performance.now();
      await pause(4_000);
      // A poll each second; beside them each queue once asks by itself, looks for the jobs of dead
      // workers, and for lost wake-ups.
      const polls = Math.ceil((performance.now() - since) / 1_000);
      expect((await scripts()) - before).toBeLessThanOrEqual(polls + 3 * idle.length);
      await queues.observe.add({ v: 1, cluster: 'east', namespace: 'second' }, { delayMs: 1 });
      await expect.poll(() => took, PATIENCE).toEqual(['first', 'second']);
    } finally {
      await Promise.all(idle.map((queue) => queue.close({ deadlineMs: 0 })));
      redis.disconnect();
    }
  });

  it('idle queues of a process do not look for jobs of dead workers', async () => {
    const redis = connectRedis(found.url);
    const queues = redisQueues({ redis, prefix: randomUUID(), shards: 4, stalledIntervalMs: 300 });
    const took: string[] = [];
    const looks = async () =>
      Number(/cmdstat_smembers:calls=([0-9]+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    try {
      const release = Promise.withResolvers<void>();
      await queues.apply.process(
        async (job) => {
          took.push('namespace' in job ? job.namespace : '');
          await release.promise;
        },
        { concurrency: 1 },
      );
      await queues.observe.process(async () => undefined, { concurrency: 1 });
      // Each queue asks once as it begins.
      const inASecond = async () => {
        const count = await looks();
        await pause(1_000);
        return (await looks()) - count;
      };
      await expect.poll(inASecond, PATIENCE).toBe(0);
      const before = await looks();
      await pause(2_000);
      expect((await looks()) - before).toBe(0);
      await queues.apply.add({ v: 1, cluster: 'east', namespace: 'held' });
      await expect.poll(() => took, PATIENCE).toEqual(['held']);
      await expect.poll(async () => (await looks()) > before, PATIENCE).toBe(true);
      release.resolve();
    } finally {
      await Promise.all([queues.apply, queues.observe].map((queue) => queue.close({ deadlineMs: 0 })));
      redis.disconnect();
    }
  });

  it('emptying Redis in the middle of a job harms no worker: what is added afterwards runs', async () => {
    const { queue, dispose, redis } = make();
    try {
      const it = recorder();
      it.hold.add('a');
      await queue.process(it.handler, { concurrency: 4 });
      await queue.add(thing('a'));
      await queue.add(thing('later'), { delayMs: 3_600_000 });
      await expect.poll(() => it.isHeld('a'), PATIENCE).toBe(true);
      await redis.flushall();
      await queue.add(thing('a'));
      await queue.add(thing('b'));
      await expect.poll(() => it.runs.includes('b'), PATIENCE).toBe(true);
      expect(it.runs.filter((name) => name === 'a')).toEqual(['a']); // not beside the one that still runs here
      it.release('a');
      await expect.poll(() => it.runs.filter((name) => name === 'a').length, PATIENCE).toBe(2);
      await queue.add(thing('c'), { delayMs: 20 });
      await expect.poll(() => it.runs.includes('c'), PATIENCE).toBe(true);
    } finally {
      await dispose();
    }
  });

  it('a lost connection comes back by itself, and jobs added meanwhile run', async () => {
    const own = await findRedis({ log: () => undefined, preferExisting: false });
    const redis = connectRedis(own.url);
    const queue = new BullmqJobQueue(thingContract, { redis, prefix: randomUUID(), backoff });
    try {
      const it = recorder();
      await queue.process(it.handler, { concurrency: 1 });
      await queue.add(thing('before'));
      await expect.poll(() => it.runs, PATIENCE).toEqual(['before']);
      const killer = connectRedis(own.url);
      await killer.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await queue.add(thing('after'));
      await expect.poll(() => it.runs, PATIENCE).toEqual(['before', 'after']);
      killer.disconnect();
    } finally {
      await queue.close({ deadlineMs: 0 });
      redis.disconnect();
      await own.stop();
    }
  });

  it('a failed job whose next try Redis did not take runs again', async () => {
    const { queue, dispose, redis } = make(undefined, { lockDurationMs: 1_000, stalledIntervalMs: 500 });
    try {
      vi.spyOn(redis, 'hincrby').mockRejectedValueOnce(new Error('OOM command not allowed'));
      const runs: string[] = [];
      const handler = async (job: ThingJob) => {
        runs.push(job.thing);
        if (runs.length === 1) throw new Error('not yet');
      };
      await queue.process(handler, { concurrency: 1 });
      await queue.add(thing('a'));
      await expect.poll(() => runs, PATIENCE).toEqual(['a', 'a']);
    } finally {
      await dispose();
    }
  });

  it('the delayed job of a process that died with it runs again elsewhere', async () => {
    const prefix = randomUUID();
    const { queue, dispose, redis } = make(prefix);
    try {
      // The remains of such a process: a claim, made long ago.
      await redis.zadd(`${prefix}:alarm:things:claims`, Date.now() - 60_000, JSON.stringify({ thing: 'a', v: 1 }));
      const it = recorder();
      await queue.process(it.handler, { concurrency: 1 });
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a']);
    } finally {
      await dispose();
    }
  });

  it('a job of another shape fails alone and is not tried again', async () => {
    const prefix = randomUUID();
    const { queue, dispose, redis } = make(prefix);
    try {
      const { Queue } = await import('bullmq');
      const stranger = new Queue('things', { connection: redis, prefix: `${prefix}:queue` });
      await stranger.add('things', { v: 1, whatever: true });
      const it = recorder();
      await queue.process(it.handler, { concurrency: 1 });
      await queue.add(thing('a'));
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a']);
      await expect.poll(async () => (await queue.counts()).failed, PATIENCE).toBe(1);
      const [failed] = await stranger.getFailed();
      expect(failed?.failedReason).toMatch(/^InvalidJob: a job of queue things cannot be read/);
      await stranger.close();
    } finally {
      await dispose();
    }
  });
});
