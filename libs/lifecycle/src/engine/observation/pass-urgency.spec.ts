import { describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { Timers } from '#platform/clock/timers';
import { PassUrgency, type TakenUrgency } from './pass-urgency.js';

function urgency() {
  const clock = new ManualClock();
  const due: string[] = [];
  const of = new PassUrgency({ clock, timers: new Timers(clock), onDue: (subject) => due.push(subject) });
  /** The subject is observed; answers how urgent the pass is. */
  const observed = (enqueued: boolean): TakenUrgency['urgency'] => {
    const taken = of.take('a');
    of.settle('a', taken, enqueued);
    return taken.urgency;
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
    const takes = [of.take('b'), of.take('a'), of.take('a')];
    expect(takes.map((one) => one.urgency)).toEqual(['for-news', taken, 'for-news']);
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

  it('a pass is due a second after the first change for which it is owed, without an observation', async () => {
    const { of, clock, due } = urgency();
    of.owe('a');
    await clock.advance(600);
    of.owe('a');
    await clock.advance(400);
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

  it('a pass that is owed since an observation began is not that one, and comes', async () => {
    const { of, clock, due } = urgency();
    of.owe('a');
    await clock.advance(500);
    const taken = of.take('a');
    of.owe('a');
    of.settle('a', taken, true);
    await clock.advance(999);
    expect(due).toEqual([]);
    await clock.advance(1);
    expect(due).toEqual(['a']);
  });

  it('a pass whose time comes during an observation is due after it', async () => {
    const { of, clock, due } = urgency();
    of.owe('a');
    const taken = of.take('a');
    await clock.advance(3_000);
    expect(due).toEqual([]);
    of.settle('a', taken, false);
    await clock.advance(1);
    expect(due).toEqual(['a']);
  });

  it.for([
    ['now', 'now'],
    ['soon', 'soon'],
    [undefined, 'soon'],
  ] as const)('noted %s for a subject whose observation failed, is %s for the next one', async ([noted, next]) => {
    const { of, clock, due } = urgency();
    of.owe('a');
    if (noted !== undefined) of.note('a', noted);
    of.putBack('a', of.take('a'));
    expect(of.take('a').urgency).toBe(next);
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
