import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../clock/manual-clock.js';
import { SilenceTimer } from './silence-timer.js';

/** A clock that counts the timers that were set. */
class CountingClock extends ManualClock {
  timers = 0;

  override after(delayMs: number, callback: () => void): () => void {
    this.timers += 1;
    return super.after(delayMs, callback);
  }
}

const aborted = (timers: readonly SilenceTimer[]) => timers.map(({ signal }) => signal.aborted);

describe('the silence of watches', () => {
  it('ends each at its own time, counted from when something was heard of it', async () => {
    const clock = new ManualClock();
    const first = new SilenceTimer(clock, 10_000);
    await clock.advance(4_000);
    const second = new SilenceTimer(clock, 10_000);
    first.heard();
    const third = new SilenceTimer(clock, 3_000);
    await clock.advance(2_999);
    expect(aborted([first, second, third])).toEqual([false, false, false]);
    await clock.advance(1);
    expect(aborted([first, second, third])).toEqual([false, false, true]);
    second.heard();
    await clock.advance(7_000);
    expect(aborted([first, second])).toEqual([true, false]);
    await clock.advance(3_000);
    expect(second.signal.aborted).toBe(true);
  });

  it('does not end what was disposed of, and is found again after all were', async () => {
    const clock = new ManualClock();
    const gone = new SilenceTimer(clock, 1_000);
    gone.dispose();
    await clock.advance(2_000);
    expect(gone.signal.aborted).toBe(false);
    const next = new SilenceTimer(clock, 1_000);
    await clock.advance(1_000);
    expect(next.signal.aborted).toBe(true);
  });

  it('takes one timer of the process for many watches', async () => {
    const clock = new CountingClock();
    const all = Array.from({ length: 1_000 }, () => new SilenceTimer(clock, 150_000));
    expect(clock.timers).toBe(1);
    for (let heard = 0; heard < 4; heard++) {
      await clock.advance(60_000);
      for (const timer of all) timer.heard();
    }
    expect(clock.timers).toBeLessThan(6);
    expect(aborted(all)).not.toContain(true);
  });

  it('is no silence when the clock was set back, and late by no more than that when it was set on', async () => {
    const clock = new ManualClock();
    const timer = new SilenceTimer(clock, 10_000);
    clock.set(-60_000);
    await clock.advance(10_000);
    expect(timer.signal.aborted).toBe(false);
    await clock.advance(60_000);
    expect(timer.signal.aborted).toBe(true);
  });
});
