import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { Timers } from '#platform/clock/timers';
import { Resync } from './resync.js';

const HOUR = 3_600_000;
const CLUSTERS = Array.from({ length: 50 }, (_, at) => `cluster-${at}`);
const NAMESPACES = Array.from({ length: 20 }, (_, at) => `namespace/team-${at}`);

/** Its machine may sleep: time goes on, and no timer does. */
class SleepingClock extends ManualClock {
  #asleepMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() + this.#asleepMs);
  }

  sleepThrough(ms: number): void {
    this.#asleepMs += ms;
  }
}

let clock: SleepingClock;
let timers: Timers;
/** By subject, the times at which it was resynced: milliseconds since 1970. */
let times: Map<string, number[]>;
beforeEach(() => {
  clock = new SleepingClock();
  timers = new Timers(clock);
  times = new Map();
});

function start(cluster: string, names: () => readonly string[], periodMs = HOUR): void {
  const items = () =>
    names().map((name) => ({
      name,
      run: () => {
        const subject = `${cluster}/${name}`;
        times.set(subject, [...(times.get(subject) ?? []), clock.now().getTime()]);
      },
    }));
  new Resync({ cluster, periodMs, items, clock, timers }).start();
}

describe('the resync of a fleet', () => {
  it('checks each subject once in each period, spread evenly, at the same times after a restart', async () => {
    for (const cluster of CLUSTERS) start(cluster, () => NAMESPACES);
    await clock.advance(HOUR - 1);
    expect(times.size, 'none is missed').toBe(CLUSTERS.length * NAMESPACES.length);
    expect(Math.max(...[...times.values()].map((at) => at.length))).toBe(1);
    const seconds = new Map<number, number>();
    for (const [at = 0] of times.values())
      seconds.set(Math.floor(at / 1_000), (seconds.get(Math.floor(at / 1_000)) ?? 0) + 1);
    // 1,000 subjects in 3,600 seconds.
    expect(Math.max(...seconds.values())).toBeLessThanOrEqual(6);

    const before = times;
    timers.stop();
    [timers, times] = [new Timers(clock), new Map()];
    for (const cluster of CLUSTERS) start(cluster, () => NAMESPACES);
    await clock.advance(HOUR);
    for (const [subject, [at = 0]] of before) expect(times.get(subject)?.[0], subject).toBe(at + HOUR);
  });

  it('goes on period after period, and holds one timer for each cluster', async () => {
    start('east', () => NAMESPACES);
    await clock.advance(4 * HOUR - 1);
    for (const at of times.values()) expect(at.map((one) => one - (at[0] ?? 0))).toEqual([0, HOUR, 2 * HOUR, 3 * HOUR]);
  });

  it('takes in what comes later, and what has gone no more', async () => {
    let names: readonly string[] = ['namespace/old'];
    start('east', () => names);
    await clock.advance(HOUR);
    names = ['namespace/new'];
    await clock.advance(HOUR / 12);
    times.clear();
    await clock.advance(HOUR);
    expect([...times.keys()]).toEqual(['east/namespace/new']);
  });

  it('does not catch up with periods in which the machine slept', async () => {
    start('east', () => NAMESPACES);
    await clock.advance(HOUR);
    times.clear();
    clock.sleepThrough(100 * HOUR);
    await clock.advance(HOUR - 1);
    for (const at of times.values()) expect(at.length).toBeLessThanOrEqual(2);
  });

  it('ends with the timers of its cluster', async () => {
    start('east', () => NAMESPACES);
    timers.stop();
    await clock.advance(HOUR);
    expect(times.size).toBe(0);
  });
});
