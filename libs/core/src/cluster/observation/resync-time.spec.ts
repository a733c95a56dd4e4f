import { describe, expect, it } from 'vitest';
import { nextResyncMs, resyncPhaseMs } from './resync-time.js';

const HOUR = 3_600_000;
const names = Array.from(
  { length: 20_000 },
  (_, at) => `cluster-${at % 1_000}/namespace/team-${Math.floor(at / 1_000)}`,
);

describe('the time at which a subject is resynced', () => {
  it('is spread evenly over the period', () => {
    const minutes = Array.from({ length: 360 }, () => 0);
    for (const name of names) {
      const minute = Math.floor(resyncPhaseMs(name, 6 * HOUR) / 60_000);
      minutes[minute] = (minutes[minute] ?? 0) + 1;
    }
    // 56 a minute on average; a random spread has one of 360 beyond 5 standard deviations in 5,000 runs.
    expect(Math.max(...minutes)).toBeLessThan(95);
    expect(Math.min(...minutes)).toBeGreaterThan(20);
  });

  it('is the same in each period, and after a restart', () => {
    const first = nextResyncMs('east/namespace/shop', 6 * HOUR, 1_000 * HOUR);
    expect(nextResyncMs('east/namespace/shop', 6 * HOUR, first)).toBe(first);
    expect(nextResyncMs('east/namespace/shop', 6 * HOUR, first + 1)).toBe(first + 6 * HOUR);
  });

  it.each([0, 1, 12_345_678_901, 1_767_225_600_000])('comes within a period from %d ms on', (from) => {
    for (const name of names.slice(0, 100)) {
      const at = nextResyncMs(name, HOUR, from);
      expect(at).toBeGreaterThanOrEqual(from);
      expect(at).toBeLessThan(from + HOUR);
      expect(at % HOUR).toBe(resyncPhaseMs(name, HOUR));
    }
  });
});
