import { afterEach, describe, expect, it } from 'vitest';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { FinishedJob, JobQueue } from '#platform/queue/job-queue.port';
import { aWhile, PATIENCE, pause } from '#testing/patience';
import { type ThingJob, thing, thingOf } from './thing.contract.js';

export type QueueUnderTest = Readonly<{ queue: JobQueue<ThingJob>; dispose(): Promise<void> }>;
export type QueueOptions = Readonly<{ onFinished?: (job: FinishedJob) => void }>;

class Failure extends FlotillaError {
  readonly code = 'Failure';
  constructor(readonly retry: Retry) {
    super('did not work');
  }
}

/** A handler that records its work. A test can hold its runs open. */
export function recorder() {
  const runs: string[] = [];
  const held = new Map<string, () => void>();
  let inFlight = 0;
  let most = 0;
  const hold = new Set<string>();
  const handler = async (job: ThingJob) => {
    runs.push(job.thing);
    most = Math.max(most, ++inFlight);
    if (hold.has(job.thing)) await new Promise<void>((resolve) => held.set(job.thing, resolve));
    inFlight--;
  };
  const release = (name: string) => {
    hold.delete(name);
    held.get(name)?.();
  };
  return { runs, hold, release, handler, most: () => most, isHeld: (name: string) => held.has(name) && hold.has(name) };
}

const settled = async (queue: JobQueue<ThingJob>) => {
  const { waiting, active, delayed } = await queue.counts();
  return { waiting, active, delayed };
};
const NOTHING = { waiting: 0, active: 0, delayed: 0 };

/** Tests of every JobQueue, with any store. */
export function jobQueueConformance(make: (options?: QueueOptions) => Promise<QueueUnderTest>): void {
  const open: QueueUnderTest[] = [];
  const start = async (options?: QueueOptions) => {
    const made = await make(options);
    open.push(made);
    return made.queue;
  };
  afterEach(async () => {
    for (const { dispose } of open.splice(0)) await dispose();
  });

  describe('by key', () => {
    it('many adds while one waits are one run', async () => {
      const queue = await start();
      const { runs, handler } = recorder();
      for (let i = 0; i < 5; i++) await queue.add(thing('a'));
      expect((await queue.counts()).waiting).toBe(1);
      await queue.process(handler, { concurrency: 2 });
      await expect.poll(() => runs, PATIENCE).toEqual(['a']);
      await expect.poll(() => settled(queue), PATIENCE).toEqual(NOTHING);
      expect(runs).toEqual(['a']);
    });

    it('adds while one runs are exactly one more run, afterwards and never beside it', async () => {
      const queue = await start();
      const it = recorder();
      it.hold.add('a');
      await queue.process(it.handler, { concurrency: 4 });
      await queue.add(thing('a'));
      await expect.poll(() => it.isHeld('a'), PATIENCE).toBe(true);
      for (let i = 0; i < 3; i++) await queue.add(thing('a'));
      expect(it.runs).toEqual(['a']);
      it.release('a');
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a', 'a']);
      await expect.poll(() => settled(queue), PATIENCE).toEqual(NOTHING);
      expect(it.runs).toEqual(['a', 'a']);
      expect(it.most()).toBe(1);
    });

    it('different keys run side by side, as many as the concurrency says', async () => {
      const queue = await start();
      const it = recorder();
      const names = ['a', 'b', 'c', 'd'];
      for (const name of names) it.hold.add(name);
      await queue.process(it.handler, { concurrency: 2 });
      for (const name of names) await queue.add(thing(name));
      await expect.poll(() => it.runs.length, PATIENCE).toBe(2);
      for (const name of names) it.release(name);
      await expect.poll(() => it.runs.length, PATIENCE).toBe(names.length);
      await expect.poll(() => settled(queue), PATIENCE).toEqual(NOTHING);
      expect(it.runs.toSorted()).toEqual(names);
      expect(it.most()).toBe(2);
    });

    it('the first jobs of a cluster go before the many of another one', async () => {
      const queue = await start();
      const it = recorder();
      await Promise.all(Array.from({ length: 300 }, (_, at) => queue.add(thingOf('west', `west-${at}`))));
      await queue.add(thingOf('east', 'east-1'));
      await queue.process(it.handler, { concurrency: 1 });
      await expect.poll(() => it.runs.length, PATIENCE).toBe(301);
      await expect.poll(() => settled(queue), PATIENCE).toEqual(NOTHING);
      expect(it.runs.indexOf('east-1')).toBeLessThan(4);
      expect(it.runs).toHaveLength(301);
    });

    it('reports how long each job waited before it ran', async () => {
      const finished: FinishedJob[] = [];
      const queue = await start({ onFinished: (job) => finished.push(job) });
      await queue.add(thing('a'));
      await pause(300);
      await queue.process(async () => undefined, { concurrency: 1 });
      await expect.poll(() => finished.length, PATIENCE).toBe(1);
      expect(finished[0]?.waitedSeconds).toBeGreaterThan(0.29);
    });

    it('shows some jobs of each state, with why the last try of a key failed', async () => {
      const queue = await start();
      const it = recorder();
      it.hold.add('runs');
      const fails = async (job: ThingJob) => {
        if (job.thing === 'fails') throw new Failure('when-input-changes');
        await it.handler(job);
      };
      for (const name of ['runs', 'fails']) await queue.add(thing(name));
      await queue.process(fails, { concurrency: 2 });
      await expect.poll(() => it.isHeld('runs'), PATIENCE).toBe(true);
      await expect.poll(async () => (await queue.counts()).failed, PATIENCE).toBe(1);
      await queue.add(thing('later'), { delayMs: 600_000 });
      const shown = async () => (await queue.sample(5)).map(({ state, key }) => `${state} ${key}`);
      await expect.poll(shown, PATIENCE).toEqual(['active runs', 'delayed later', 'failed fails']);
      const dueMs = (await queue.sample(5))[1]?.atMs ?? 0;
      expect(Math.abs(dueMs - Date.now() - 600_000)).toBeLessThan(PATIENCE.timeout);
      it.release('runs');
    });

    it('shows the jobs that wait longest, no more than were asked for', async () => {
      const queue = await start();
      for (const name of ['a', 'b', 'c']) {
        await queue.add(thing(name));
        await aWhile();
      }
      const shown = await queue.sample(2);
      expect(shown.map(({ state, key }) => [state, key])).toEqual([
        ['waiting', 'a'],
        ['waiting', 'b'],
      ]);
    });

    it('refuses a job of another shape where it is added', async () => {
      const queue = await start();
      const wrong = { v: 2, thing: 'a' } as unknown as ThingJob;
      await expect(queue.add(wrong)).rejects.toThrow();
      expect(await settled(queue)).toEqual(NOTHING);
    });
  });

  describe('delayed jobs', () => {
    const soon = { delayMs: 300 };
    /** Longer than a busy machine takes from one line of a test to the next. */
    const later = { delayMs: 3_000 };
    const late = { delayMs: 3_600_000 };

    it('a delayed job does not run before its time and does run after it', async () => {
      const queue = await start();
      const it = recorder();
      await queue.process(it.handler, { concurrency: 1 });
      const begin = Date.now();
      await queue.add(thing('a'), soon);
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a']);
      expect(Date.now() - begin).toBeGreaterThanOrEqual(soon.delayMs - 20);
      await expect.poll(() => settled(queue), PATIENCE).toEqual(NOTHING);
    });

    it('a job without delay overtakes a delayed one, which still rings', async () => {
      const queue = await start();
      const it = recorder();
      await queue.add(thing('a'), late);
      await queue.process(it.handler, { concurrency: 1 });
      await queue.add(thing('a'));
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a']);
      await expect.poll(() => settled(queue), PATIENCE).toEqual({ ...NOTHING, delayed: 1 });
      await queue.add(thing('a'), soon);
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a', 'a']);
    });

    it('a delayed job that is forgotten does not come, and one that is set after it does', async () => {
      const queue = await start();
      const it = recorder();
      await queue.process(it.handler, { concurrency: 1 });
      await queue.add(thing('a'), late);
      await queue.add(thing('b'), late);
      await queue.forgetDelayed(thing('a'));
      await queue.forgetDelayed(thing('c'));
      await expect.poll(() => settled(queue), PATIENCE).toEqual({ ...NOTHING, delayed: 1 });
      await queue.add(thing('a'), soon);
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a']);
    });

    it('a delayed job does not hold back one that waits', async () => {
      const queue = await start();
      const it = recorder();
      await queue.add(thing('a'));
      await queue.add(thing('a'), late);
      expect(await settled(queue)).toEqual({ waiting: 1, active: 0, delayed: 1 });
      await queue.process(it.handler, { concurrency: 1 });
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a']);
    });

    it.each([
      { order: ['now', 'later'], because: 'the delayed one must not replace the immediate one behind the running one' },
      { order: ['later', 'now'], because: 'the immediate one must not take the alarm away' },
    ])('while one runs, $order: $because', async ({ order }) => {
      const queue = await start();
      const it = recorder();
      it.hold.add('a');
      await queue.process(it.handler, { concurrency: 2 });
      await queue.add(thing('a'));
      await expect.poll(() => it.isHeld('a'), PATIENCE).toBe(true);
      for (const when of order) await queue.add(thing('a'), when === 'now' ? {} : late);
      it.release('a');
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a', 'a']);
      await expect.poll(() => settled(queue), PATIENCE).toEqual({ ...NOTHING, delayed: 1 });
    });

    it.each([
      { order: [late, later], because: 'an earlier alarm takes the place of a later one' },
      { order: [later, late], because: 'a later alarm does not move an earlier one' },
    ])('of two delayed jobs of a key the earlier one stays: $because', async ({ order }) => {
      const queue = await start();
      const it = recorder();
      await queue.process(it.handler, { concurrency: 1 });
      for (const options of order) await queue.add(thing('a'), options);
      expect((await queue.counts()).delayed).toBe(1);
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a']);
      await expect.poll(() => settled(queue), PATIENCE).toEqual(NOTHING);
    });

    it('a handler that asks to be called again later gets its call', async () => {
      const queue = await start();
      const runs: string[] = [];
      const handler = async (job: ThingJob) => {
        runs.push(job.thing);
        if (runs.length < 3) await queue.add(job, { delayMs: 50 });
      };
      await queue.process(handler, { concurrency: 1 });
      await queue.add(thing('a'));
      await expect.poll(() => runs, PATIENCE).toEqual(['a', 'a', 'a']);
      await expect.poll(() => settled(queue), PATIENCE).toEqual(NOTHING);
      expect(runs).toEqual(['a', 'a', 'a']);
    });
  });

  describe('failures', () => {
    it.each([
      { retry: 'backoff' as const, because: 'it may pass' },
      { retry: { afterMs: 40 }, because: 'the error names its time' },
    ])('$retry: runs again until it works, since $because', async ({ retry }) => {
      const finished: FinishedJob[] = [];
      const queue = await start({ onFinished: (job) => finished.push(job) });
      let tries = 0;
      await queue.process(
        async () => {
          if (++tries < 3) throw new Failure(retry);
        },
        { concurrency: 1 },
      );
      await queue.add(thing('a'));
      await expect.poll(() => finished.length, PATIENCE).toBe(3);
      await expect.poll(() => settled(queue), PATIENCE).toEqual(NOTHING);
      expect(finished.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'completed']);
      expect(await queue.counts()).toMatchObject({ failed: 0, completed: 1 });
    });

    it('when-input-changes: rests until it is added again', async () => {
      const queue = await start();
      let tries = 0;
      await queue.process(
        async () => {
          if (++tries === 1) throw new Failure('when-input-changes');
        },
        { concurrency: 1 },
      );
      await queue.add(thing('a'));
      await expect.poll(async () => (await queue.counts()).failed, PATIENCE).toBe(1);
      await expect.poll(() => settled(queue), PATIENCE).toEqual(NOTHING);
      await queue.add(thing('a'));
      await expect.poll(async () => (await queue.counts()).completed, PATIENCE).toBe(1);
      expect(tries).toBe(2);
      expect((await queue.counts()).failed).toBe(0);
    });

    it('counts the keys that fail now, however often each has failed', async () => {
      const queue = await start();
      const broken = new Set(['a', 'b']);
      let tries = 0;
      const handler = async ({ thing }: Readonly<{ thing: string }>) => {
        tries += 1;
        if (broken.has(thing)) throw new Failure({ afterMs: 5 });
      };
      await queue.process(handler, { concurrency: 1 });
      for (const name of ['a', 'b', 'c']) await queue.add(thing(name));
      await expect.poll(() => tries, PATIENCE).toBeGreaterThan(8);
      expect((await queue.counts()).failed).toBe(2);
      broken.delete('a');
      await expect.poll(async () => (await queue.counts()).failed, PATIENCE).toBe(1);
      broken.clear();
      await expect.poll(async () => (await queue.counts()).failed, PATIENCE).toBe(0);
    });

    it('a new job overtakes the pause after a failure, also when it came while the failing one ran', async () => {
      const queue = await start();
      const it = recorder();
      it.hold.add('a');
      let tries = 0;
      await queue.process(
        async (job) => {
          await it.handler(job);
          if (++tries === 1) throw new Failure({ afterMs: 3_600_000 });
        },
        { concurrency: 1 },
      );
      await queue.add(thing('a'));
      await expect.poll(() => it.isHeld('a'), PATIENCE).toBe(true);
      await queue.add(thing('a'));
      it.release('a');
      await expect.poll(() => it.runs, PATIENCE).toEqual(['a', 'a']);
    });

    it('one key that fails does not hold up another', async () => {
      const queue = await start();
      const it = recorder();
      await queue.process(
        async (job) => {
          if (job.thing === 'bad') throw new TypeError('a bug');
          await it.handler(job);
        },
        { concurrency: 1 },
      );
      await queue.add(thing('bad'));
      await queue.add(thing('good'));
      await expect.poll(() => it.runs, PATIENCE).toEqual(['good']);
    });
  });

  describe('ending', () => {
    it('close waits for the job that runs', async () => {
      const queue = await start();
      const it = recorder();
      it.hold.add('a');
      await queue.process(it.handler, { concurrency: 1 });
      await queue.add(thing('a'));
      await expect.poll(() => it.isHeld('a'), PATIENCE).toBe(true);
      let closed = false;
      const closing = queue.close({ deadlineMs: 60_000 }).then(() => {
        closed = true;
      });
      await aWhile();
      expect(closed).toBe(false);
      it.release('a');
      await closing;
      expect(it.runs).toEqual(['a']);
    });

    it('after the deadline the signal of the running job aborts', async () => {
      const queue = await start();
      let aborted = false;
      await queue.process(
        async (_job, { signal }) => {
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          aborted = true;
          throw new Error('stopped half way');
        },
        { concurrency: 1 },
      );
      await queue.add(thing('a'));
      await expect.poll(async () => (await queue.counts()).active, PATIENCE).toBe(1);
      await queue.close({ deadlineMs: 50 });
      expect(aborted).toBe(true);
    });
  });
}
