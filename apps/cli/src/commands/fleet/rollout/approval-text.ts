import { counted } from '#core/kernel/text/counted';
import type { ApprovalDemand } from '#core/rollout/review/class-approval';
import type { ClassAnswer } from './rollout-answer.js';

/** Rules that still lack approvals. */
export const openDemands = (demands: readonly ApprovalDemand[]): readonly ApprovalDemand[] =>
  demands.filter(({ min, approvedBy }) => approvedBy.length < min);

/** `2 approvals of change-board; given by anna`. */
export function demandText({ min, groups, approvedBy }: ApprovalDemand): string {
  const who = groups.length === 0 ? 'any user with the right' : groups.join(' or ');
  const given = approvedBy.length === 0 ? '' : `; given by ${approvedBy.join(', ')}`;
  return `${counted(min, 'approval')} of ${who}${given}`;
}

const WHY_AGAIN: Readonly<Record<string, string>> = {
  Expired: ' (expired)',
  Lapsed: ' (lapsed: the class changes more than was approved)',
};

/** Returns the progress of a class's approval. Returns no text if the class needs none, or is a preview. */
export function approvalTexts({ approval, reason, demands }: ClassAnswer): string[] {
  const names = [...new Set(demands.flatMap(({ approvedBy }) => approvedBy))];
  switch (approval) {
    case 'Waiting':
      return openDemands(demands).map((one) => `needs ${demandText(one)}${WHY_AGAIN[reason] ?? ''}`);
    case 'Approved':
      return [`given by ${names.join(', ')}`];
    case 'Rejected':
      return ['rejected'];
    case 'Denied':
      return ['denied by a rule of the strategy'];
    default:
      return [];
  }
}

/** Groups that rules name. */
export const groupsOf = (demands: readonly ApprovalDemand[]): string[] => [
  ...new Set(demands.flatMap((one) => one.groups)),
];
