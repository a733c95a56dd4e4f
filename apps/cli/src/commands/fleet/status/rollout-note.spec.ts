import { expect, it } from 'vitest';
import type { RolloutAnswer } from '../rollout/rollout-answer.js';
import { NO_HINTS, type RolloutHints } from '../rollout/rollout-hints.js';
import { rolloutNote } from './rollout-note.js';

const ANSWER = {
  phase: 'Progressing',
  reason: 'Planned',
  classes: [],
  waves: [],
  waiting: [],
} as object as RolloutAnswer;
const CLASS = {
  ...{ hash: '3f9c1e2ab7d0', clusters: 44, changes: ['Minor'], approval: 'Waiting', reason: 'Manual', demands: [] },
};
const SHORT = { phase: 'Open', reason: 'NotEnoughSuccesses' } as RolloutAnswer['waves'][number];
const AWAITED = { awaited: new Set([CLASS.hash]) };

it.each<[string, Partial<RolloutAnswer>, Partial<RolloutHints>, string]>([
  ['nothing to say', {}, {}, ''],
  ['a class that waits', { classes: [CLASS] }, AWAITED, '1 class waits for approval'],
  ['a class of which no cluster waits', { classes: [CLASS] }, {}, ''],
  ['a target that was withdrawn', { classes: [CLASS], waves: [SHORT] }, { isWithdrawn: true }, 'target withdrawn'],
  ['one that has ended since', { phase: 'Aborted' }, { isWithdrawn: true }, ''],
  ['a wave that lacks successes', { waves: [SHORT] }, {}, 'not enough successes'],
  ['clusters between two steps', {}, { kept: [{ reason: 'WindowClosed', clusters: 2 }] }, '2 WindowClosed'],
  ['a stop, before what it keeps', { phase: 'Halted' }, { kept: [{ reason: 'Halted', clusters: 2 }] }, 'Planned'],
])('the note of %s', (_what, answer, hints, says) => {
  expect(rolloutNote({ ...ANSWER, ...answer }, { ...NO_HINTS, ...hints })).toBe(says);
});
