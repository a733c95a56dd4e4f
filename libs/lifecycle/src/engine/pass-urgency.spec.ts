import { describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { Timers } from '#platform/clock/timers';
import { PassUrgency, type Urgency } from './pass-urgency.js';

function urgency() {
  const clock = new ManualClock();
  const due: string[] = [];
  const of = new PassUrgency(new Timers(clock), (subject) => due.push(subject));
  /** The subject is observed; answers how urgent the pass is. */
  const observed = (enqueued: boolean): Urgency => {
    const taken = of.take('a');
    of.settle('a', taken, enqueued);
    return taken;
  };
  return { of, clock, due, observed };
}

describe('the urgency of a pass', () => {
  it.for([
    [['soon', 'for-news'], 'soon'],
    [['for-news', 'soon'], 'soon'],
    [['now', 'soon', 'for-news'], 'now'],
    [['soon', 'now'], 'now'],
    [[], 'for-news'],
  ] as const)('after %s is %s, and forgotten once it was taken', ([noted, taken]) => {
    const { of } = urgency();
    for (const one of noted) of.note('a', one);
    expect([of.take('b'), of.take('a'), of.take('a')]).toEqual(['for-news', taken, 'for-news']);
  });

  it('a pass that is due soon and was not enqueued is due after a second, once for all changes', async () => {
    const { of, clock, due, observed } = urgency();
    for (let change = 0; change < 3; change += 1) {
      of.note('a', 'soon');
      expect(observed(false)).toBe('soon');
      await clock.advance(300);
    }
    expect(due).toEqual([]);
    await clock.advance(100);
    expect(due).toEqual(['a']);
    await clock.advance(5_000);
    expect(due).toEqual(['a']);
  });

  it('a pass that was enqueued meanwhile is owed no more', async () => {
    const { of, clock, due, observed } = urgency();
    of.note('a', 'soon');
    observed(false);
    of.note('a', 'now');
    observed(true);
    await clock.advance(5_000);
    expect(due).toEqual([]);
  });

  it('without news no pass is owed to an observation that no change asked for', async () => {
    const { of, clock, due, observed } = urgency();
    of.note('a', 'for-news');
    observed(false);
    await clock.advance(5_000);
    expect(due).toEqual([]);
  });
});
