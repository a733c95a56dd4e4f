import { describe, expect, it } from 'vitest';
import { observationFreshness } from './observation-freshness.js';

const minute = 60_000;
const now = 1_000 * minute;

describe('an authenticated observation', () => {
  it.each([
    { because: 'made now', observedMs: now, acceptedMs: undefined },
    { because: 'taken before', observedMs: now - minute, acceptedMs: now - minute },
    { because: 'as old as may be', observedMs: now - 30 * minute, acceptedMs: undefined },
    { because: 'of a poller whose clock is ahead', observedMs: now + 2_880 * minute, acceptedMs: now },
  ])('is fresh: $because', ({ observedMs, acceptedMs }) => {
    expect(observationFreshness({ observedMs, acceptedMs, nowMs: now, maxAgeMs: 30 * minute })).toEqual({
      fresh: true,
    });
  });

  it.each([
    { why: 'replayed', observedMs: now - 2, acceptedMs: now - 1, atLeastMs: now - 1 },
    { why: 'old', observedMs: now - 31 * minute, acceptedMs: undefined, atLeastMs: now - 30 * minute },
    { why: 'replayed', observedMs: now - 50 * minute, acceptedMs: now - 40 * minute, atLeastMs: now - 30 * minute },
  ])('is refused as $why, with the time that another must have', ({ why, observedMs, acceptedMs, atLeastMs }) => {
    const answer = observationFreshness({ observedMs, acceptedMs, nowMs: now, maxAgeMs: 30 * minute });
    expect(answer).toEqual({ fresh: false, why, atLeastMs });
  });
});
