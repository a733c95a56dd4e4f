import { randomUUID } from 'node:crypto';
import { type JobsOptions, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type FoundRedis, findRedis } from '#platform/redis/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { aWhile, PATIENCE } from '#testing/patience';

const HOUR_MS = 3_600_000;
/** All that BullMQ offers for one job a key. */
const ONE: JobsOptions = { deduplication: { id: 'east/team', replace: true, keepLastIfActive: true } };

let found: FoundRedis;
beforeAll(async () => {
  found = await findRedis({ log: (line) => console.log(line), preferExisting: false });
});
afterAll(() => found.stop());

/** A queue of BullMQ, with a worker that waits in `slow` until it may go on, and fails at `bad`. */
function start() {
  const prefix = randomUUID();
  const connections: Redis[] = [];
  const connection = () => {
    const redis = connectRedis(found.url);
    connections.push(redis);
    return redis;
  };
  const ran: string[] = [];
  const go = Promise.withResolvers<void>();
  const queue = new Queue('q', { connection: connection(), prefix });
  const run = async ({ name }: { name: string }) => {
    ran.push(name);
    if (name === 'slow') await go.promise;
    if (name === 'bad') throw new Error('bad');
  };
  const worker = new Worker('q', run, { connection: connection(), prefix, concurrency: 2 });
  worker.on('error', () => undefined);
  onTestFinished(async () => {
    go.resolve();
    await worker.close();
    await queue.close();
    for (const redis of connections) redis.disconnect();
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
});
