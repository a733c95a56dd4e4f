import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { ManualClock } from '../clock/manual-clock.js';
import type { FinishedJob } from './job-queue.port.js';
import { MemoryJobQueue } from './memory-job-queue.js';

const Job = z.strictObject({ cluster: z.string(), name: z.string() });
type Job = z.infer<typeof Job>;
const contract = {
  name: 'work',
  version: 1,
  schema: Job,
  keyOf: ({ cluster, name }: Job) => `${cluster}/${name}`,
  clusterOf: ({ cluster }: Job) => cluster,
};
const job = (name: string, cluster = 'east'): Job => ({ cluster, name });

class Failure extends FlotillaError {
  readonly code = 'Failure';
  constructor(readonly retry: Retry) {
    super('failed');
  }
}

let clock: ManualClock;
let finished: FinishedJob[];
let ran: string[];
let queue: MemoryJobQueue<Job>;
let failure: Error | undefined;
beforeEach(() => {
  clock = new ManualClock();
  [finished, ran, failure] = [[], [], undefined];
  const backoff = { firstMs: 1_000, longestMs: 4_000 };
  queue = new MemoryJobQueue(contract, {
    clock,
    backoff,
    random: () => 0,
    onFinished: (one) => void finished.push(one),
  });
});

const take = (concurrency = 1) =>
  queue.process(
    async ({ name }) => {
      ran.push(name);
      if (failure !== undefined) throw failure;
    },
    { concurrency },
  );
const settled = () => clock.advance(0);

describe('jobs of a queue', () => {
  it('run once for each key, in the order in which they were added', async () => {
    for (const name of ['a', 'b', 'a', 'c', 'b']) await queue.add(job(name));
    await take();
    await settled();
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  it('of a cluster that asked for little lately come first', async () => {
    for (const name of ['a', 'b', 'c']) await queue.add(job(name));
    await queue.add(job('first', 'west'));
    await take();
    await settled();
    expect(ran).toEqual(['a', 'first', 'b', 'c']);
  });

  it('that are added while one of their key runs are one more run after it', async () => {
    const release = Promise.withResolvers<void>();
    await queue.process(
      async ({ name }) => {
        ran.push(name);
        await release.promise;
      },
      { concurrency: 5 },
    );
    await queue.add(job('a'));
    await queue.add(job('a'));
    await queue.add(job('a'));
    expect([ran, (await queue.counts()).waiting]).toEqual([['a'], 1]);
    release.resolve();
    await settled();
    expect(ran).toEqual(['a', 'a']);
  });

  it('of another shape are refused where they are added', async () => {
    await expect(queue.add({ cluster: 'east' } as never)).rejects.toThrow();
    expect((await queue.counts()).waiting).toBe(0);
  });

  it('report how long they waited, and took', async () => {
    await queue.add(job('a'));
    await clock.advance(3_000);
    await take();
    await settled();
    expect(finished).toEqual([{ queue: 'work', key: 'east/a', outcome: 'completed', waitedSeconds: 3, seconds: 0 }]);
  });
});

describe('delayed jobs', () => {
  it.each<[delays: readonly number[], due: number]>([
    [[2_000], 2_000],
    [[2_000, 1_000], 1_000],
    [[1_000, 2_000], 1_000],
  ])('of %j milliseconds run after %i, once', async (delays, due) => {
    await take();
    for (const delayMs of delays) await queue.add(job('a'), { delayMs });
    await clock.advance(due - 1);
    expect([ran, (await queue.counts()).delayed]).toEqual([[], 1]);
    await clock.advance(1);
    expect(ran).toEqual(['a']);
    await clock.advance(10_000);
    expect([ran, (await queue.counts()).delayed]).toEqual([['a'], 0]);
  });

  it('are no reason to wait for a job without delay', async () => {
    await take();
    await queue.add(job('a'), { delayMs: 1_000 });
    await queue.add(job('a'));
    await settled();
    expect(ran).toEqual(['a']);
    await clock.advance(1_000);
    expect(ran).toEqual(['a', 'a']);
  });

  it('are gone with the end of the queue', async () => {
    await take();
    await queue.add(job('a'), { delayMs: 1_000 });
    await queue.close();
    await clock.advance(2_000);
    expect(ran).toEqual([]);
  });
});

describe('a job that fails', () => {
  it.each<[retry: Retry, runsAt: readonly number[]]>([
    ['backoff', [0, 1_000, 3_000, 7_000, 11_000]],
    ['when-input-changes', [0]],
    [{ afterMs: 5_000 }, [0, 5_000, 10_000]],
  ])('with retry %j runs again after its pauses', async (retry, runsAt) => {
    failure = new Failure(retry);
    const at: number[] = [];
    const start = clock.now().getTime();
    await queue.process(
      async () => {
        at.push(clock.now().getTime() - start);
        throw failure;
      },
      { concurrency: 1 },
    );
    await queue.add(job('a'));
    await clock.advance(11_500);
    expect(at).toEqual(runsAt);
  });

  it('counts as failing until it succeeds, and begins with the first pause then', async () => {
    failure = new Failure('backoff');
    await take();
    await queue.add(job('a'));
    await clock.advance(1_000);
    expect(await queue.counts()).toMatchObject({ failed: 1, completed: 0 });
    failure = undefined;
    await clock.advance(2_000);
    expect(await queue.counts()).toMatchObject({ failed: 0, completed: 1 });
    expect(finished.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'completed']);
  });

  it('holds up no other', async () => {
    failure = new Failure('backoff');
    await take();
    await queue.add(job('a'));
    await settled();
    failure = undefined;
    await queue.add(job('b'));
    await settled();
    expect(ran).toEqual(['a', 'b']);
  });
});

describe('the end of a queue', () => {
  it('waits for what runs, aborts it at its deadline, and begins nothing more', async () => {
    let aborted = false;
    await queue.process(
      (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve();
          });
        }),
      { concurrency: 1 },
    );
    await queue.add(job('a'));
    await queue.add(job('b'));
    let closed = false;
    const closing = queue.close({ deadlineMs: 5_000 }).then(() => {
      closed = true;
    });
    await clock.advance(4_999);
    expect([aborted, closed]).toEqual([false, false]);
    await clock.advance(1);
    await closing;
    expect([aborted, (await queue.counts()).waiting]).toEqual([true, 1]);
  });
});
