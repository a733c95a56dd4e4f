import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock/manual-clock.js';
import { collectAtRest } from './collect-at-rest.js';

/** A process that uses these shares of a processor, ten seconds each; answers after which it collected. */
async function collectedAfter(shares: readonly number[], costMs = 0): Promise<readonly number[]> {
  const clock = new ManualClock();
  let [usedMs, at] = [0, 0];
  const collected: number[] = [];
  const collect = () => {
    usedMs += costMs;
    collected.push(at);
  };
  collectAtRest({ clock, cpuMs: () => usedMs, collect });
  for (const share of shares) {
    usedMs += share * 10_000;
    at += 1;
    await clock.advance(10_000);
  }
  return collected;
}

const times = (count: number, share: number) => Array.from({ length: count }, () => share);

describe('garbage', () => {
  it('is collected half a minute and two minutes after a burst of work', async () => {
    expect(await collectedAfter([0.9, 0.2, ...times(60, 0.02)])).toEqual([5, 14]);
  });

  it('is collected after each burst', async () => {
    expect(await collectedAfter([1, ...times(5, 0.01), 1, ...times(5, 0.01)])).toEqual([4, 10]);
  });

  it('is collected the second time once the process has rested for two minutes without a pause', async () => {
    const shares = [1, ...times(5, 0.01), 0.12, ...times(11, 0.01), 0.12, ...times(30, 0.01)];
    expect(await collectedAfter(shares)).toEqual([4, 31]);
  });

  it('is left to V8 while the process works, also with short pauses', async () => {
    expect(await collectedAfter(Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? 0.6 : 0.01)))).toEqual([]);
  });

  it('is collected twice after a start, and then left to V8 where the process never works much', async () => {
    expect(await collectedAfter(times(60, 0.08))).toEqual([3, 12]);
    expect(await collectedAfter(times(30, 0.12))).toEqual([]);
  });

  it('is not collected again for the work of collecting', async () => {
    expect(await collectedAfter([1, ...times(60, 0.01)], 3_000)).toEqual([4, 13]);
  });

  it('is given back by this process, which has no gc of its own afterwards', async () => {
    const clock = new ManualClock();
    let usedMs = 0;
    const before = process.memoryUsage().heapUsed;
    let garbage: unknown[] | undefined = Array.from({ length: 300_000 }, (_, at) => ({ at }));
    const full = process.memoryUsage().heapUsed;
    expect(garbage.length).toBe(300_000);
    garbage = undefined;
    collectAtRest({ clock, cpuMs: () => usedMs });
    usedMs = 9_000;
    await clock.advance(40_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan((full - before) / 2);
  });
});
