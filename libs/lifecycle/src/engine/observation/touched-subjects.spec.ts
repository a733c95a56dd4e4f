import { describe, expect, it } from 'vitest';
import type { NamespaceSubject } from '#core/kernel/subject/subject';
import { ManualClock } from '#platform/clock/manual-clock';
import { ObservationPace } from './observation-pace.js';
import { TouchedSubjects } from './touched-subjects.js';

/** Passes begin in this order; each lasts until it is ended. */
function passes() {
  const clock = new ManualClock();
  const startMs = clock.now().getTime();
  const begun: string[] = [];
  /** When the first event of each pass came, in milliseconds. */
  const since: number[] = [];
  const failed: string[] = [];
  const endings: Array<PromiseWithResolvers<void>> = [];
  const pace = new ObservationPace(clock);
  const touched = new TouchedSubjects<NamespaceSubject>({
    clock,
    pace,
    observe: ({ namespace }, sinceMs) => {
      begun.push(namespace);
      since.push(sinceMs - startMs);
      const ending = Promise.withResolvers<void>();
      endings.push(ending);
      return ending.promise;
    },
    onFailure: ({ namespace }, error) => failed.push(`${namespace}: ${String(error)}`),
  });
  const end = async (error?: string) => {
    const ending = endings.shift();
    if (error === undefined) ending?.resolve();
    else ending?.reject(error);
    await clock.advance(100);
  };
  const touch = (namespace: string) => touched.touch({ cluster: 'east', namespace });
  return { touched, touch, clock, begun, since, failed, end, pace };
}

describe('the touched subjects of a cluster', () => {
  it('get one pass for a burst of events', async () => {
    const { touch, clock, begun } = passes();
    for (const namespace of ['a', 'a', 'a']) touch(namespace);
    await clock.advance(24);
    expect(begun).toEqual([]);
    await clock.advance(1);
    expect(begun).toEqual(['a']);
  });

  it('know since when they wait for their pass: since the first event', async () => {
    const { touch, clock, since, end } = passes();
    touch('a');
    await clock.advance(10);
    touch('a');
    await clock.advance(15);
    touch('a');
    await clock.advance(100);
    await end();
    await clock.advance(10_000);
    expect(since).toEqual([0, 25]);
  });

  it('never get two passes at once: what comes meanwhile gets a pass afterwards', async () => {
    const { touch, clock, begun, end } = passes();
    touch('a');
    touch('b');
    await clock.advance(25);
    touch('a');
    touch('a');
    await clock.advance(60_000);
    expect(begun, 'while the first look lasts').toEqual(['a']);
    await end();
    expect(begun).toEqual(['a', 'b']);
    await end();
    expect(begun, 'the events during the first look').toEqual(['a', 'b', 'a']);
  });

  it('get another pass by themselves after a failure, which holds up no other subject', async () => {
    const { touch, clock, begun, failed, end } = passes();
    touch('a');
    touch('b');
    await clock.advance(25);
    await end('the store is full');
    expect([begun, failed]).toEqual([['a', 'b'], ['a: the store is full']]);
    await end();
    await clock.advance(30_000);
    expect(begun).toEqual(['a', 'b', 'a']);
  });

  it('are left alone after the stop', async () => {
    const { touched, touch, clock, begun, end } = passes();
    touch('a');
    touch('b');
    await clock.advance(25);
    touched.stop();
    await end();
    touch('c');
    await clock.advance(1_000);
    expect(begun).toEqual(['a']);
  });

  it('rest after a pass while much is observed, and begin at once after a rest', async () => {
    const { touch, clock, begun, end, pace } = passes();
    for (let observed = 0; observed < 1_000; observed++) pace.note();
    touch('a');
    await clock.advance(25);
    expect(begun, 'the first event').toEqual(['a']);
    await end();
    touch('a');
    touch('b');
    await clock.advance(25);
    expect(begun, 'another subject').toEqual(['a', 'b']);
    await end();
    await clock.advance(774);
    expect(begun, 'no more than once a second').toEqual(['a', 'b']);
    await clock.advance(1);
    expect(begun).toEqual(['a', 'b', 'a']);
    await end();
    await clock.advance(10_000);
    expect(begun, 'without an event').toEqual(['a', 'b', 'a']);
    touch('a');
    await clock.advance(25);
    expect(begun, 'after a rest').toEqual(['a', 'b', 'a', 'a']);
  });

  it('do not rest while little is observed', async () => {
    const { touch, clock, begun, end } = passes();
    for (let event = 0; event < 5; event++) {
      touch('a');
      await clock.advance(25);
      await end();
    }
    expect(begun).toHaveLength(5);
  });
});
