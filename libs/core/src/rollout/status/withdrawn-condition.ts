import { type FoundCondition, mergedConditions, type StoredCondition } from '../../kernel/conditions/condition-list.js';
import { withdrawnText } from '../controller/step/withdrawn.js';

/** Condition of a FleetRollout: its catalogs have withdrawn its target (decision 0469). */
export const TARGET_WITHDRAWN = 'TargetWithdrawn';

const NOT_WITHDRAWN: FoundCondition = { type: TARGET_WITHDRAWN, status: 'False', reason: 'NotWithdrawn', message: '' };

/** Returns the conditions of a rollout with that one. It is absent if the target was never withdrawn. */
export function withWithdrawal(
  before: readonly StoredCondition[],
  { target, isWithdrawn, at }: Readonly<{ target: string; isWithdrawn: boolean; at: string }>,
): readonly StoredCondition[] {
  const message = withdrawnText(target);
  const withdrawn: FoundCondition = { type: TARGET_WITHDRAWN, status: 'True', reason: 'NotOffered', message };
  if (isWithdrawn) return mergedConditions(before, [withdrawn], at);
  return before.some(({ type }) => type === TARGET_WITHDRAWN) ? mergedConditions(before, [NOT_WITHDRAWN], at) : before;
}
