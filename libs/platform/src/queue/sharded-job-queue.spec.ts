import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ShardFollower } from '../ownership/shard-follower.port.js';
import type { JobContract, JobHandler } from './job-queue.port.js';
import { MemoryJobQueue } from './memory-job-queue.js';
import { ShardedJobQueue } from './sharded-job-queue.js';

const Job = z.strictObject({ cluster: z.string() });
type Job = z.infer<typeof Job>;
const contract: JobContract<Job> = { name: 'work', version: 1, schema: Job, keyOf: ({ cluster }) => cluster };
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Parts of a queue that processes share, as in Redis: what one object adds, the one that takes gets. */
function partsOf(shards: number) {
  const parts = Array.from({ length: shards }, () => new MemoryJobQueue(contract));
  const queue = () =>
    new ShardedJobQueue<Job>({
      name: 'work',
      shards,
      shardOf: ({ cluster }) => Number(cluster.slice(1)) % shards,
      queueOf: (shard) => parts[shard] ?? new MemoryJobQueue(contract),
    });
  return { parts, queue };
}

/** The shards of a process, as a test gives and takes them. */
function ownership() {
  const followers: ShardFollower[] = [];
  return {
    shards: { follow: (follower: ShardFollower) => void followers.push(follower) },
    gain: (shard: number) => {
      for (const { gained } of followers) gained(shard);
    },
    lose: async (shard: number) => {
      for (const { lost } of followers) await lost(shard, 'moved');
    },
  };
}

const collect = (into: string[]): JobHandler<Job> => {
  return async ({ cluster }) => void into.push(cluster);
};

describe('a queue in parts', () => {
  it('takes the jobs of the shards that the process owns, from when it owns them', async () => {
    const { queue } = partsOf(4);
    const [work, { shards, gain }, done] = [queue(), ownership(), [] as string[]];
    for (const cluster of ['c0', 'c1', 'c2', 'c5']) await work.add({ cluster });
    await work.process(collect(done), { concurrency: 4, shards });
    await settle();
    expect(done).toEqual([]);
    gain(1);
    await settle();
    expect(done.toSorted()).toEqual(['c1', 'c5']);
    expect(await work.counts()).toMatchObject({ waiting: 2, completed: 2 });
  });

  it('shows jobs of all shards, no more than were asked for', async () => {
    const { queue } = partsOf(3);
    const work = queue();
    for (const cluster of ['c0', 'c1', 'c2']) await work.add({ cluster });
    expect((await work.sample(5)).map(({ key }) => key)).toEqual(['c0', 'c1', 'c2']);
    expect(await work.sample(2)).toHaveLength(2);
  });

  it('takes all where no shards are given', async () => {
    const { queue } = partsOf(3);
    const [work, done] = [queue(), [] as string[]];
    await work.process(collect(done), { concurrency: 4 });
    for (const cluster of ['c0', 'c1', 'c2']) await work.add({ cluster });
    await settle();
    expect(done.toSorted()).toEqual(['c0', 'c1', 'c2']);
  });

  it('gives a shard up once its jobs under way have ended, and takes no further one', async () => {
    const { queue } = partsOf(2);
    const [work, { shards, gain, lose }] = [queue(), ownership()];
    const held = Promise.withResolvers<void>();
    const done: string[] = [];
    await work.process(
      async ({ cluster }) => {
        await held.promise;
        done.push(cluster);
      },
      { concurrency: 4, shards },
    );
    gain(0);
    await work.add({ cluster: 'c0' });
    await settle();
    let isLost = false;
    const losing = lose(0).then(() => (isLost = true));
    await settle();
    expect([done, isLost]).toEqual([[], false]);
    held.resolve();
    await losing;
    expect(done).toEqual(['c0']);
    await work.add({ cluster: 'c2' }).catch(() => undefined);
    await settle();
    expect(done).toEqual(['c0']);
  });

  it('has no more jobs under way than its concurrency, over all of its parts', async () => {
    const { queue } = partsOf(3);
    const work = queue();
    let [now, most] = [0, 0];
    await work.process(
      async () => {
        now += 1;
        most = Math.max(most, now);
        await settle();
        now -= 1;
      },
      { concurrency: 2 },
    );
    for (let n = 0; n < 9; n += 1) await work.add({ cluster: `c${n}` });
    await expect.poll(async () => (await work.counts()).completed).toBe(9);
    expect(most).toBe(2);
  });
});
