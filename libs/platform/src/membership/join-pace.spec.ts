import { describe, expect, it } from 'vitest';
import { JoinPace } from './join-pace.js';

describe('the pace of joining clusters', () => {
  it('spreads what is due for a large fleet, and does not hold up a small one', () => {
    expect(new JoinPace(() => 0.99).turn(1)).toBe(0);
    expect(new JoinPace(() => 0.5).turn(1_000)).toBe(9_990);
  });

  it('tries a cluster that is away less and less often', () => {
    const pace = new JoinPace(() => 0.5);
    const pauses = Array.from({ length: 8 }, () => pace.failed('east', new Error('away')).delayMs / 1_000);
    expect(pauses).toEqual([5, 10, 20, 30, 30, 30, 30, 30]);
  });

  it('gives each cause as news once, and remembers it until the cluster is reached', () => {
    const pace = new JoinPace(() => 0.5);
    const news = ['refused', 'refused', 'expired', 'expired'].map((why) => pace.failed('east', new Error(why)).news);
    expect(news).toEqual([true, false, true, false]);
    expect([pace.problemOf('east'), pace.problemOf('west')]).toEqual(['expired', undefined]);
    pace.succeeded('east');
    expect(pace.problemOf('east')).toBeUndefined();
    expect(pace.failed('east', new Error('away')).delayMs).toBe(5_000);
  });
});
