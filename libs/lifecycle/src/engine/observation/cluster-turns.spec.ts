import { describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { ClusterTurns } from './cluster-turns.js';

const next = (turns: ClusterTurns, times: number) => Array.from({ length: times }, () => turns.take());

describe('the turns of clusters', () => {
  it('come at once for twenty clusters, and every half second for those after them', () => {
    const turns = new ClusterTurns(new ManualClock());
    expect(next(turns, 20)).toEqual(Array.from({ length: 20 }, () => 0));
    expect(next(turns, 3)).toEqual([500, 1_000, 1_500]);
  });

  it('do not come before those that were given already', async () => {
    const clock = new ManualClock();
    const turns = new ClusterTurns(clock);
    next(turns, 24);
    await clock.advance(1_000);
    expect(next(turns, 2)).toEqual([1_500, 2_000]);
  });

  it('come at once again after a while', async () => {
    const clock = new ManualClock();
    const turns = new ClusterTurns(clock);
    next(turns, 30);
    await clock.advance(60_000);
    expect(next(turns, 21)).toEqual([...Array.from({ length: 20 }, () => 0), 500]);
  });
});
