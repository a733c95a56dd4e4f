import { describe, expect, it } from 'vitest';
import { countState, noMotion, observed, quietLimitMs, type Sighting, standsStill, stoppedLast } from './motion.js';

const csv = (state: string): Sighting => ({ name: 'west: CSV harbor-operator.v1.0.0', state });
const rollout = (state: string): Sighting => ({ name: 'lighthouse-1', state });
type Seen = readonly [seconds: number, ...sightings: Sighting[]];
const motionOf = (...all: readonly Seen[]) =>
  all.reduce((motion, [seconds, ...seen]) => observed(motion, seen, seconds * 1_000), noMotion(0));
/** The same sightings once a second. */
const every = (from: number, to: number, ...seen: Sighting[]): Seen[] =>
  Array.from({ length: to - from + 1 }, (_, at) => [from + at, ...seen] as const);

describe('the motion of a demo', () => {
  it.each<[string, readonly Seen[], number]>([
    ['nothing was seen', every(1, 70), 70],
    ['nothing changes', every(1, 70, csv('Pending')), 69],
    ['a phase changes', [...every(1, 50, csv('Pending')), ...every(51, 70, csv('Installing'))], 19],
    [
      'another thing changes',
      [...every(1, 50, csv('Pending')), ...every(51, 70, csv('Pending'), rollout('lab 0'))],
      19,
    ],
    [
      'a thing that was there is gone',
      [...every(1, 10, csv('Pending'), rollout('lab 0')), ...every(11, 70, csv('Pending'))],
      69,
    ],
    [
      'two states take turns',
      Array.from({ length: 70 }, (_, at) => [at + 1, csv(at % 2 === 0 ? 'READY' : 'TRANSIENT_FAILURE')] as const),
      68,
    ],
    [
      'the machine slept for an hour',
      [
        [1, csv('Pending')],
        [2, csv('Pending')],
        [3_602, csv('Pending')],
      ],
      6,
    ],
    [
      'the clock went back',
      [
        [100, csv('Pending')],
        [50, csv('Pending')],
      ],
      0,
    ],
  ])('knows for how long it stands: %s', (_, seen, seconds) => {
    expect(motionOf(...seen).stillMs / 1_000).toBe(seconds);
  });

  it.each([
    ['a quiet machine', 0.3, 2, 60],
    ['as much work as processors', 2, 2, 60],
    ['a busy machine', 8, 2, 240],
    ['load 40 on two cores', 40, 2, 1_200],
    ['the most', 400, 2, 1_200],
    ['a system that names no processors', 3, 0, 180],
  ])('is given up after a minute of rest, longer beside other work: %s', (_, load, processors, seconds) => {
    expect(quietLimitMs(60_000, load, processors)).toBe(seconds * 1_000);
  });

  it('stands still after the limit, not at it', () => {
    expect(standsStill(motionOf(...every(1, 61, csv('Pending'))), 60_000)).toBe(false);
    expect(standsStill(motionOf(...every(1, 62, csv('Pending'))), 60_000)).toBe(true);
  });

  it('names what moved last', () => {
    const motion = motionOf([1, csv('Pending'), rollout('lab 0')], [5, csv('Installing'), rollout('lab 0')], [9]);
    expect(stoppedLast(motion, 2)).toEqual([
      { ...csv('Installing'), seconds: 4 },
      { ...rollout('lab 0'), seconds: 8 },
    ]);
    expect(stoppedLast(motion, 1)).toHaveLength(1);
  });

  it.each([
    [0, 'none'],
    [1, '1 or more'],
    [3, '2 or more'],
    [4, '4 or more'],
    [1_000, '512 or more'],
  ])('counts %i jobs by doublings', (count, state) => {
    expect(countState(count)).toBe(state);
  });
});
