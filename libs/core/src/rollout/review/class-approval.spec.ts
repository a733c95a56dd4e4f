import { expect, it } from 'vitest';
import { type ChangeKind, StrategySpec } from '../../kernel/api/fleet/fleet-strategy.js';
import { approversOf, type ClassVote, classState, mayVote } from './class-approval.js';

const HOUR = 3_600_000;
const policy = (approval: object) => StrategySpec.parse({ approval }).approval;
const vote = (user: string, at = 0, approves = true, groups: readonly string[] = ['board']): ClassVote => ({
  by: { user, groups },
  at,
  approves,
});
const board = { changes: ['Major'], action: 'Manual', groups: ['board'] };
const two = { ...board, min: 2 };
const security = { changes: ['RBACGrowth'], action: 'Manual', groups: ['security'] };
const rights = { ...board, changes: ['RBACGrowth'] };
const shared = { ...board, changes: ['Major', 'RBACGrowth'] };
const SHARED: readonly ChangeKind[] = ['Major', 'RBACGrowth'];
const [LAPSED, APPROVED] = ['Waiting Lapsed', 'Approved Decision'];
const short = { ...board, validFor: '1h' };

const cases: readonly (readonly [
  because: string,
  approval: object | undefined,
  changes: readonly ChangeKind[],
  votes: readonly ClassVote[],
  is: string,
])[] = [
  ['no approval is asked for', undefined, ['Major'], [], 'NotNeeded Auto'],
  ['what no rule names is manual', {}, ['Minor'], [], 'Waiting Manual'],
  ['a return is automatic unless a rule names it', {}, ['Rollback'], [], 'NotNeeded Auto'],
  ['a rule names returns', { rules: [{ ...board, changes: ['Rollback'] }] }, ['Rollback'], [], 'Waiting Manual'],
  [
    'the strictest rule holds',
    { rules: [board, { changes: ['Minor'], action: 'Deny' }] },
    ['Major', 'Minor'],
    [],
    'Denied Rule',
  ],
  ['denied stays', { rules: [{ changes: ['Minor'], action: 'Deny' }] }, ['Minor'], [vote('a')], 'Denied Rule'],
  ['one of the group', { rules: [board] }, ['Major'], [vote('a')], 'Approved Decision'],
  ['a user of another group', { rules: [board] }, ['Major'], [vote('a', 0, true, ['x'])], 'Waiting Expired'],
  ['the same user twice', { rules: [two] }, ['Major'], [vote('a'), vote('a')], 'Waiting Partly'],
  ['two users', { rules: [two] }, ['Major'], [vote('a'), vote('b')], 'Approved Decision'],
  ['each rule is to be met', { rules: [board, security] }, ['Major', 'RBACGrowth'], [vote('a')], 'Waiting Partly'],
  [
    'a user counts in several',
    { rules: [board, security] },
    ['Major', 'RBACGrowth'],
    [vote('a', 0, true, ['board', 'security'])],
    'Approved Decision',
  ],
  ['it has expired', { rules: [short] }, ['Major'], [vote('a', -2 * HOUR)], 'Waiting Expired'],
  ['it was given again', { rules: [short] }, ['Major'], [vote('a', -2 * HOUR), vote('a')], 'Approved Decision'],
  [
    'a rejection voids what was before',
    { rules: [board] },
    ['Major'],
    [vote('a'), vote('b', 0, false)],
    'Rejected Decision',
  ],
  [
    'an approval voids rejections',
    { rules: [board] },
    ['Major'],
    [vote('b', 0, false), vote('a')],
    'Approved Decision',
  ],
  [
    'it was given before a kind of change was known',
    {},
    ['Minor', 'RBACGrowth', 'CRDBreaking'],
    [{ ...vote('a'), changes: ['Minor'] }],
    'Waiting Lapsed',
  ],
  ['the same where one rule names all', { rules: [shared] }, SHARED, [{ ...vote('a'), changes: ['Major'] }], LAPSED],
  [
    'the same where rules name the group',
    { rules: [board, rights] },
    SHARED,
    [{ ...vote('a'), changes: ['Major'] }],
    LAPSED,
  ],
  [
    'it was given again since',
    { rules: [shared] },
    SHARED,
    [{ ...vote('a'), changes: ['Major'] }, vote('a')],
    APPROVED,
  ],
  [
    'one of two has lapsed',
    { rules: [{ ...shared, min: 2 }] },
    SHARED,
    [{ ...vote('a'), changes: ['Major'] }, vote('b')],
    'Waiting Partly',
  ],
  ['it knew of more', {}, ['Minor'], [{ ...vote('a'), changes: ['Minor', 'RBACGrowth'] }], APPROVED],
  [
    'a rejection does not lapse',
    {},
    ['Minor', 'RBACGrowth'],
    [{ ...vote('a', 0, false), changes: ['Minor'] }],
    'Rejected Decision',
  ],
  ['also where none is needed', undefined, ['Minor'], [vote('b', 0, false)], 'Rejected Decision'],
];

it.each(cases)('%s: %j %j %j is %s', (_, approval, changes, votes, is) => {
  const { phase, reason } = classState(changes, approval === undefined ? undefined : policy(approval), votes, 1);
  expect(`${phase} ${reason}`).toBe(is);
});

it('counts the votes of those alone whom a rule names', () => {
  const rules = policy({ rules: [board] });
  expect(mayVote(['Major'], rules, { user: 'a', groups: ['board'] })).toBe(true);
  expect(mayVote(['Major'], rules, { user: 'a', groups: ['x'] })).toBe(false);
  expect(mayVote(['Minor'], undefined, { user: 'a', groups: [] })).toBe(true);
});

it('names each user once who has approved since the last rejection', () => {
  expect(approversOf([vote('a'), vote('b', 1, false), vote('c', 2), vote('a', 3), vote('c', 4)])).toEqual(['c', 'a']);
  expect(approversOf([vote('a'), vote('b', 1, false)])).toEqual([]);
});
