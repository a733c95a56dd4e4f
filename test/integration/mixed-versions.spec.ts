import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { z } from 'zod';
import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import type { JobContract } from '#platform/queue/job-queue.port';
import { RESOLVE_QUEUE } from '#platform/queue/jobs';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { RedisProblemStore } from '#platform/store/redis-problem-store';
import { type Log, silentLog } from '#platform/telemetry/log.port';
import { PATIENCE } from '#testing/patience';
import { type ThingJob, thing, thingContract } from './queue-support/thing.contract.js';
import { startRedisService } from './redis-support/redis-service.js';

/** A job of a next release: one field more. */
const NextThing = z.strictObject({ v: z.literal(2), thing: z.string(), hasty: z.boolean() });
type NextThing = z.infer<typeof NextThing>;
const nextContract: JobContract<NextThing> = {
  name: thingContract.name,
  version: 2,
  schema: NextThing,
  upgrades: { 1: (older) => ({ thing: older['thing'], hasty: false }) },
  keyOf: (job) => job.thing,
};
const nextThing = (name: string): NextThing => ({ v: 2, thing: name, hasty: true });

const NextResolve = z.strictObject({ v: z.literal(2), problem: z.string(), hasty: z.boolean() });
const nextResolve: JobContract<z.infer<typeof NextResolve>> = {
  name: RESOLVE_QUEUE,
  version: 2,
  schema: NextResolve,
  keyOf: (job) => job.problem,
};

let found: FoundRedis;
beforeAll(async () => {
  found = await findRedis({ log: () => undefined, preferExisting: false });
});
afterAll(() => found.stop());

/** A service of a release, as far as one queue of it goes; it ends with the test, or before. */
function service<J>(contract: JobContract<J>, prefix: string, log: Log = silentLog) {
  const redis = connectRedis(found.url);
  const queue = new BullmqJobQueue(contract, { redis, prefix, log, setAsideLookMs: 200 });
  const took: J[] = [];
  let ended = false;
  const end = async () => {
    if (ended) return;
    ended = true;
    await queue.close({ deadlineMs: 0 });
    redis.disconnect();
  };
  onTestFinished(end);
  const work = () => queue.process(async (job) => void took.push(job), { concurrency: 1 });
  return { queue, took, work, end, redis };
}

const counts = async ({ queue }: ReturnType<typeof service<ThingJob>>) => {
  const { waiting, active, delayed, failed, 'set-aside': aside } = await queue.counts();
  return { waiting, active, delayed, failed, aside };
};
const NOTHING = { waiting: 0, active: 0, delayed: 0, failed: 0, aside: 0 };

describe('services of two releases on one Redis', () => {
  it('jobs of the newer one lie aside until it takes them, and the older one goes on with its own', async () => {
    const prefix = randomUUID();
    const warnings: unknown[] = [];
    const old = service(thingContract, prefix, { ...silentLog, warn: (fields: object) => void warnings.push(fields) });
    const writer = service(nextContract, prefix);
    await old.work();
    for (const name of ['a', 'b']) await writer.queue.add(nextThing(name));
    await writer.queue.add(nextThing('c'), { delayMs: 100 });
    await old.queue.add(thing('d'));
    await expect.poll(() => old.took, PATIENCE).toEqual([thing('d')]);
    await expect.poll(() => counts(old), PATIENCE).toEqual({ ...NOTHING, aside: 3 });
    await expect.poll(() => old.queue.unreadable(), PATIENCE).toBe(3);
    expect(warnings).toEqual([{ queue: 'things', version: 2, known: 1 }]);

    await old.end();
    const next = service(nextContract, prefix);
    await next.work();
    const names = () => next.took.map((job) => job.thing).toSorted();
    await expect.poll(names, PATIENCE).toEqual(['a', 'b', 'c']);
    expect(next.took.every(({ hasty }) => hasty)).toBe(true);
    await expect.poll(async () => (await next.queue.counts())['set-aside'], PATIENCE).toBe(0);
    expect((await next.queue.counts()).failed).toBe(0);
  });

  it('the newer one takes its jobs while the older one goes on and gets some of them first', async () => {
    const prefix = randomUUID();
    const [old, next] = [service(thingContract, prefix), service(nextContract, prefix)];
    await old.work();
    await next.work();
    const names = Array.from({ length: 10 }, (_, at) => `thing-${at}`);
    for (const name of names) await next.queue.add(nextThing(name));
    await expect.poll(() => new Set(next.took.map((job) => job.thing)).size, PATIENCE).toBe(names.length);
    await expect.poll(() => counts(old), PATIENCE).toEqual(NOTHING);
    expect(old.took).toEqual([]);
  });

  it('jobs of the older one are made those of the newer one', async () => {
    const prefix = randomUUID();
    const [old, next] = [service(thingContract, prefix), service(nextContract, prefix)];
    await old.queue.add(thing('a'));
    await old.queue.add(thing('b'), { delayMs: 50 });
    await old.end();
    await next.work();
    const made = ['a', 'b'].map((name) => ({ v: 2, thing: name, hasty: false }));
    await expect.poll(() => next.took, PATIENCE).toEqual(made);
    expect((await next.queue.counts()).failed).toBe(0);
  });

  it('back again: what the newer one left waiting lies aside, and is its own when it returns', async () => {
    const prefix = randomUUID();
    const next = service(nextContract, prefix);
    await next.queue.add(nextThing('a'));
    await next.end();
    const old = service(thingContract, prefix);
    await old.work();
    await expect.poll(() => counts(old), PATIENCE).toEqual({ ...NOTHING, aside: 1 });
    await old.queue.add(thing('a'));
    await expect.poll(() => old.took, PATIENCE).toEqual([thing('a')]);
    const again = service(nextContract, prefix);
    await again.work();
    await expect.poll(() => again.took, PATIENCE).toEqual([nextThing('a')]);
  });

  it('what nothing has read for a day is dropped', async () => {
    const prefix = randomUUID();
    const old = service(thingContract, prefix);
    const key = `${prefix}:alarm:things:aside`;
    await old.redis.zadd(key, Date.now() - 25 * 3_600_000, JSON.stringify(nextThing('left')));
    await old.redis.zadd(key, Date.now() - 3_600_000, JSON.stringify(nextThing('kept')));
    await old.work();
    await expect.poll(() => old.redis.zrange(key, '0', '-1'), PATIENCE).toEqual([JSON.stringify(nextThing('kept'))]);
  });

  it('a resolver worker says that it cannot read jobs, and stays ready', async (context: TestContext) => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-mixed-'));
    context.onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const prefix = `mixed-${randomUUID()}`;
    const resolver = startRedisService(context, folder, { REDIS_URL: found.url, FLOTILLA_REDIS_PREFIX: prefix });
    await expect.poll(() => resolver.url(), PATIENCE).toBeDefined();
    const writer = service(nextResolve, prefix);
    await writer.queue.add({ v: 2, problem: 'a'.repeat(64), hasty: true });
    const metrics = async () => (await fetch(`${await resolver.url()}/metrics`)).text();
    const job = (state: string, count: number) => `bullmq_job_count{queue="resolve",state="${state}"} ${count}`;
    await expect.poll(metrics, PATIENCE).toContain(job('set-aside', 1));
    expect(await metrics()).toContain(job('failed', 0));
    const readiness = async () => {
      const health = await fetch(`${await resolver.url()}/readyz`);
      const { details } = (await health.json()) as { details: Record<string, object> };
      return [health.status, details['jobs']];
    };
    await expect
      .poll(readiness, PATIENCE)
      .toMatchObject([
        200,
        { detail: 'jobs of a newer release are set aside: 1 job of resolve; upgrade this service' },
      ]);
    await resolver.stop('SIGTERM');
    const next = service(nextResolve, prefix);
    await next.work();
    await expect.poll(() => next.took, PATIENCE).toEqual([{ v: 2, problem: 'a'.repeat(64), hasty: true }]);
  });

  it('stored values of another release stay as they are', async () => {
    const [prefix, hash] = [randomUUID(), 'b'.repeat(64)];
    const redis = connectRedis(found.url);
    onTestFinished(() => redis.disconnect());
    const others = [1, 3].map((version) => `${prefix}:solution-v${version}:${hash}`);
    for (const name of others) await redis.set(name, 'of another release');
    const store = new RedisProblemStore(redis, { prefix });
    expect(await store.getSolution(hash)).toBeUndefined();
    await store.putSolution(hash, { outcome: 'satisfiable' } as never);
    await store.dropSolution(hash);
    expect(await redis.mget(others)).toEqual(['of another release', 'of another release']);
    expect(await redis.keys(`${prefix}:*`)).toHaveLength(others.length);
  });
});
