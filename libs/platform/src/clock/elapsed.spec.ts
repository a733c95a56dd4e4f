import { describe, expect, it } from 'vitest';
import { elapsedSince } from './elapsed.js';
import { ManualClock } from './manual-clock.js';

describe('the time that has passed', () => {
  it.each([
    { because: 'both clocks agree', wall: 4_000, monotonic: 4_000 },
    { because: 'the machine slept, and the clock of the process stood still', wall: 4_000, monotonic: 10 },
    { because: 'the clock of the machine was set back', wall: 100, monotonic: 4_000 },
  ])('is never underrated: $because', async ({ wall, monotonic }) => {
    const clock = new ManualClock();
    let ownMs = 70;
    const elapsed = elapsedSince(clock, () => ownMs);
    expect(elapsed()).toBe(0);
    await clock.advance(wall);
    ownMs += monotonic;
    expect(elapsed()).toBe(4_000);
  });
});
