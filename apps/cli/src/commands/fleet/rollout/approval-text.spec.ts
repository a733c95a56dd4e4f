import { expect, it } from 'vitest';
import { approvalTexts } from './approval-text.js';

const demand = (groups: readonly string[], approvedBy: readonly string[], min = 2) => ({ groups, min, approvedBy });
const state = (approval: string, reason: string, demands: readonly ReturnType<typeof demand>[] = []) => ({
  ...{ hash: '3f9c', clusters: 1, changes: ['Minor'] },
  ...{ approval, reason, demands },
});

it.each([
  [state('NotNeeded', 'Auto'), []],
  [state('Preview', ''), []],
  [
    state('Waiting', 'Partly', [demand(['board', 'sre'], ['anna']), demand([], ['ben'], 1)]),
    ['needs 2 approvals of board or sre; given by anna'],
  ],
  [state('Waiting', 'Expired', [demand([], [], 1)]), ['needs 1 approval of any user with the right (expired)']],
  [state('Approved', 'Decision', [demand(['board'], ['anna', 'ben']), demand([], ['ben'])]), ['given by anna, ben']],
  [state('Rejected', 'Decision'), ['rejected']],
  [state('Denied', 'Rule'), ['denied by a rule of the strategy']],
])('the approval of a class: %o', (answer, texts) => {
  expect(approvalTexts(answer)).toEqual(texts);
});
