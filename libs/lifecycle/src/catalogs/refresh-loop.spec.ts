import { describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { RefreshLoop } from './refresh-loop.js';

/** Attempts begin in this order; each lasts until it is ended, with the pause until the next one. */
function looping() {
  const clock = new ManualClock();
  const begun: string[] = [];
  const signals: AbortSignal[] = [];
  const endings: Array<PromiseWithResolvers<number | undefined>> = [];
  const loop = new RefreshLoop(clock, (trigger, signal) => {
    begun.push(trigger);
    signals.push(signal);
    const ending = Promise.withResolvers<number | undefined>();
    endings.push(ending);
    return ending.promise;
  });
  const end = async (delayMs?: number) => {
    endings.shift()?.resolve(delayMs);
    await clock.advance(0);
  };
  return { loop, clock, begun, signals, end };
}

describe('the attempts to keep a catalog fresh', () => {
  it('begin when one is asked for, and after the pause that the last one gave', async () => {
    const { loop, clock, begun, end } = looping();
    loop.ask();
    await end(1_000);
    await clock.advance(999);
    expect(begun).toEqual(['asked']);
    await clock.advance(1);
    expect(begun).toEqual(['asked', 'due']);
    await end();
    await clock.advance(60_000);
    expect(begun, 'the last one gave no pause').toEqual(['asked', 'due']);
  });

  it('are one at a time: however often another is asked for meanwhile, one more is made', async () => {
    const { loop, clock, begun, end } = looping();
    loop.ask();
    loop.ask();
    loop.ask();
    await clock.advance(60_000);
    expect(begun).toEqual(['asked']);
    await end(1_000);
    expect(begun).toEqual(['asked', 'asked']);
    await clock.advance(1_000);
    expect(begun, 'the pause of an attempt before the last counts no more').toEqual(['asked', 'asked']);
    await end();
    expect(begun).toEqual(['asked', 'asked']);
  });

  it('take the place of one that is due', async () => {
    const { loop, clock, begun, end } = looping();
    loop.ask();
    await end(1_000);
    loop.ask();
    await clock.advance(1_000);
    expect(begun).toEqual(['asked', 'asked']);
  });

  it('that are given up give no pause; what is asked for then is not given up', async () => {
    const { loop, clock, begun, signals, end } = looping();
    loop.ask();
    loop.giveUp();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await end(1_000);
    await clock.advance(1_000);
    expect(begun).toEqual(['asked']);
    loop.ask();
    loop.giveUp();
    loop.ask();
    await end(1_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false]);
  });

  it.each([
    { during: 'an attempt', before: 0 },
    { during: 'a pause', before: 1 },
  ])('are not made while at rest, begun during $during, until one is asked for', async ({ before }) => {
    const { loop, clock, begun, end } = looping();
    loop.ask();
    if (before === 1) await end(1_000);
    loop.rest();
    await end(1_000);
    await clock.advance(60_000);
    expect(begun).toEqual(['asked']);
    loop.ask();
    expect(begun).toEqual(['asked', 'asked']);
  });

  it('end with the stop, also those that were asked for', async () => {
    const { loop, clock, begun, signals, end } = looping();
    loop.ask();
    loop.ask();
    loop.stop();
    expect([loop.stopped, signals[0]?.aborted]).toEqual([true, true]);
    await end(1_000);
    loop.ask();
    await clock.advance(60_000);
    expect(begun).toEqual(['asked']);
  });
});
