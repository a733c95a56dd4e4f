import { randomUUID } from 'node:crypto';
import { type JobsOptions, Queue, type Telemetry, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { aWhile, PATIENCE } from '#testing/patience';
import { redisCalls } from './queue-support/redis-calls.js';

const HOUR_MS = 3_600_000;
/** All that BullMQ offers for one job a key. */
const ONE: JobsOptions = { deduplication: { id: 'east/team', replace: true, keepLastIfActive: true } };

let found: FoundRedis;
beforeAll(async () => {
  found = await findRedis({ log: (line) => console.log(line), preferExisting: false });
});
afterAll(() => found.stop());

/** A connection that ends with the test. */
function connection(): Redis {
  const redis = connectRedis(found.url);
  onTestFinished(() => redis.disconnect());
  return redis;
}

/** A queue of BullMQ, with a worker that waits in `slow` until it may go on, and fails at `bad`. */
function start() {
  const prefix = randomUUID();
  const ran: string[] = [];
  const go = Promise.withResolvers<void>();
  const queue = new Queue('q', { connection: connection(), prefix });
  const run = async ({ name }: { name: string }) => {
    ran.push(name);
    if (name.startsWith('slow')) await go.promise;
    if (name.endsWith('bad')) throw new Error('bad');
  };
  const worker = new Worker('q', run, { connection: connection(), prefix, concurrency: 2 });
  worker.on('error', () => undefined);
  onTestFinished(async () => {
    go.resolve();
    await worker.close();
    await queue.close();
  });
  const add = (name: string, options: JobsOptions = {}) => queue.add(name, {}, { ...ONE, ...options });
  return { queue, ran, add, go: go.resolve, counts: () => queue.getJobCounts('waiting', 'delayed', 'active') };
}

describe('one job a key, by BullMQ alone (decision 0152)', () => {
  it('runs a job at once that is newer than a retry which waits, in place of the retry', async () => {
    const { ran, add, counts } = start();
    await add('bad', { attempts: 3, backoff: HOUR_MS });
    await expect.poll(async () => (await counts())['delayed'], PATIENCE).toBe(1);
    await add('now');
    await expect.poll(() => ran, PATIENCE).toEqual(['bad', 'now']);
    expect(await counts()).toMatchObject({ delayed: 0 });
  });

  it('runs the last of those that were added while one ran', async () => {
    const { ran, add, go } = start();
    await add('slow');
    await expect.poll(() => ran, PATIENCE).toEqual(['slow']);
    for (const name of ['a', 'b', 'c']) await add(name);
    go();
    await expect.poll(() => ran, PATIENCE).toEqual(['slow', 'c']);
  });

  it('holds back a job that is added while one runs which then fails, where the contract runs it at once', async () => {
    const { ran, add, go, counts } = start();
    await add('slow and bad', { attempts: 3, backoff: HOUR_MS });
    await expect.poll(() => ran, PATIENCE).toEqual(['slow and bad']);
    await add('now');
    go();
    await expect.poll(async () => (await counts())['delayed'], PATIENCE).toBe(1);
    await aWhile();
    expect(ran).toEqual(['slow and bad']);
    expect(await counts()).toEqual({ waiting: 0, active: 0, delayed: 1 });
  });

  it('loses a delayed job to one without delay, where the contract keeps both', async () => {
    const { ran, add, counts } = start();
    await add('later', { delay: HOUR_MS });
    await add('now');
    await expect.poll(() => ran, PATIENCE).toEqual(['now']);
    expect(await counts()).toMatchObject({ delayed: 0 });
  });

  it('puts a delayed job in the place of one that waits for a running one, where the contract runs both', async () => {
    const { ran, add, go, counts } = start();
    await add('slow');
    await expect.poll(() => ran, PATIENCE).toEqual(['slow']);
    await add('now');
    await add('later', { delay: HOUR_MS });
    go();
    await expect.poll(async () => (await counts())['delayed'], PATIENCE).toBe(1);
    await aWhile();
    expect(ran).toEqual(['slow']);
  });

  it('keeps the latest of several delayed jobs, where the contract keeps the earliest', async () => {
    const { queue, add } = start();
    await add('soon', { delay: HOUR_MS });
    await add('late', { delay: 2 * HOUR_MS });
    expect((await queue.getDelayed()).map(({ name }) => name)).toEqual(['late']);
  });

  it('runs a delayed job that has an id of its own beside a running one, and keeps the first of several', async () => {
    const { queue, ran, add } = start();
    const own: JobsOptions = { deduplication: { id: 'east/team later' } };
    await add('slow');
    await expect.poll(() => ran, PATIENCE).toEqual(['slow']);
    await add('later', { ...own, delay: 1 });
    await expect.poll(() => ran, PATIENCE).toEqual(['slow', 'later']);
    await add('late', { ...own, delay: 2 * HOUR_MS });
    await add('soon', { ...own, delay: HOUR_MS });
    expect((await queue.getDelayed()).map(({ name }) => name)).toEqual(['late']);
  });

  it('takes ten commands for a duplicate of a job that waits, where to find it takes four', async () => {
    const redis = connection();
    const queue = new Queue('q', { connection: redis, prefix: randomUUID() });
    onTestFinished(() => queue.close());
    const add = () => queue.add('now', {}, { deduplication: { id: 'east/team', keepLastIfActive: true } });
    for (let warm = 0; warm < 2; warm++) await add();
    const { all } = await redisCalls(redis);
    for (let count = 0; count < 20; count++) await add();
    expect((await redisCalls(redis)).all - all).toBeGreaterThanOrEqual(9 * 20);
  });

  it('gives a job for which several changes wait the trace of the first alone', async () => {
    let change = 'first';
    const nothing = () => undefined;
    const span = { setAttribute: nothing, setAttributes: nothing, addEvent: nothing, recordException: nothing };
    const telemetry: Telemetry<string> = {
      tracer: { startSpan: () => ({ ...span, setSpanOnContext: (context: string) => context, end: nothing }) },
      contextManager: {
        with: (_context, run) => run(),
        active: () => change,
        getMetadata: (context) => context,
        fromMetadata: (_active, metadata) => metadata,
      },
    };
    const queue = new Queue('q', { connection: connection(), prefix: randomUUID(), telemetry });
    onTestFinished(() => queue.close());
    await queue.add('now', {}, ONE);
    change = 'second';
    await queue.add('now', {}, ONE);
    expect((await queue.getWaiting()).map(({ opts }) => opts.telemetry?.metadata)).toEqual(['first']);
  });
});
