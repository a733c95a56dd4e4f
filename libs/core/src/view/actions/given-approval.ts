import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { LONGEST_COMMENT } from './console-action.js';
import { APPROVAL_ANNOTATIONS, oneLine } from './decide-approval.js';

/**
 * An approval of an InstallPlan through the hub, from its annotations: the approver, the time, and the
 * reason.
 */
export type GivenApproval = Readonly<{
  by: string;
  /** RFC 3339; empty: not said. */
  at: string;
  comment: string;
}>;

const LONGEST_NAME = 253;
const LONGEST_TIME = 40;

/**
 * Returns the approval of a plan, or undefined if the plan names no approver. Users who may write the plan
 * may write the annotations, too. Therefore texts are cut, and an invalid time is left out.
 */
export function givenApproval({ metadata }: Pick<InstallPlan, 'metadata'>): GivenApproval | undefined {
  const { annotations = {} } = metadata;
  const text = (key: keyof typeof APPROVAL_ANNOTATIONS, longest: number) =>
    oneLine(annotations[APPROVAL_ANNOTATIONS[key]] ?? '').slice(0, longest);
  const by = text('by', LONGEST_NAME);
  const at = text('at', LONGEST_TIME);
  if (by === '') return undefined;
  return { by, at: Number.isNaN(Date.parse(at)) ? '' : at, comment: text('comment', LONGEST_COMMENT) };
}
