import { describe, expect, it } from 'vitest';
import type { RolloutPhase } from '../controller/step/phases.js';
import { type PastRollout, rolloutsOverLimit } from './history.js';

const PHASES: Readonly<Record<string, RolloutPhase>> = {
  C: 'Completed',
  R: 'RolledBack',
  A: 'Aborted',
  S: 'Superseded',
  P: 'Progressing',
  H: 'Halted',
};
/** `CRP`: kafka-1 is Completed, kafka-2 RolledBack, kafka-3 Progressing. */
const history = (letters: string): PastRollout[] =>
  [...letters].map((letter, at) => ({ name: `kafka-${at + 1}`, phase: PHASES[letter] ?? 'Planning' }));

describe('the rollouts over their historyLimit', () => {
  it.each<[string, number, string[]]>([
    ['', 10, []],
    ['CCC', 3, []],
    ['CCC', 2, ['kafka-1']],
    ['CCC', 0, ['kafka-1', 'kafka-2']],
    ['C', 0, []],
    // What has not ended stays, and does not count.
    ['CCP', 2, []],
    ['CCP', 1, ['kafka-1']],
    ['HCC', 1, ['kafka-2']],
    // The standing one stays, as old as it may be.
    ['CRASR', 2, ['kafka-2', 'kafka-3']],
    ['CRP', 0, ['kafka-2']],
    // The newest one stays.
    ['RR', 0, ['kafka-1']],
  ])('%s with %i: %j', (letters, limit, expected) => {
    expect(rolloutsOverLimit(history(letters), limit)).toEqual(expected);
  });
});
