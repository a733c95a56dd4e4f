import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.port.js';
import { ManualClock } from './manual-clock.js';
import { SystemClock } from './system-clock.js';

describe.each([
  {
    name: 'system clock',
    make: () => ({
      clock: new SystemClock() as Clock,
      pass: (ms: number) => new Promise<void>((r) => setTimeout(r, ms)),
    }),
  },
  {
    name: 'manual clock',
    make: () => {
      const clock = new ManualClock();
      return { clock: clock as Clock, pass: (ms: number) => clock.advance(ms) };
    },
  },
])('$name', ({ make }) => {
  it('fires timers in the order of their due times and not the cancelled ones', async () => {
    const { clock, pass } = make();
    const fired: string[] = [];
    clock.after(60, () => fired.push('late'));
    clock.after(5, () => fired.push('early'));
    const cancel = clock.after(20, () => fired.push('cancelled'));
    cancel();
    await pass(250);
    expect(fired).toEqual(['early', 'late']);
  });

  it('a sleep ends when its signal is aborted', async () => {
    const { clock } = make();
    const stop = new AbortController();
    const sleeping = clock.sleep(3_600_000, stop.signal);
    stop.abort();
    await expect(sleeping).resolves.toBeUndefined();
    await expect(clock.sleep(3_600_000, stop.signal)).resolves.toBeUndefined();
  });
});

describe('manual clock', () => {
  it('runs timers that were set by timers within the same advance', async () => {
    const clock = new ManualClock('2026-01-01T00:00:00Z');
    const at: string[] = [];
    clock.after(1_000, () => clock.after(1_000, () => at.push(clock.now().toISOString())));
    await clock.advance(5_000);
    expect(at).toEqual(['2026-01-01T00:00:02.000Z']);
    expect(clock.now().toISOString()).toBe('2026-01-01T00:00:05.000Z');
  });
});
