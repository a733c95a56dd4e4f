import { type FoundCondition, mergedConditions, type StoredCondition } from '../../kernel/conditions/condition-list.js';
import type { SubjectProblem } from '../placement/subject-problem.js';

/** Condition of a FleetRollout: something that it depends on cannot be read (decision 0528). */
const HELD = 'Held';

const NOT_HELD: FoundCondition = { type: HELD, status: 'False', reason: 'NotHeld', message: '' };

/** The conditions of a rollout with that one; it is absent if the rollout never was held. */
export function withHold(
  before: readonly StoredCondition[],
  { hold, at }: Readonly<{ hold: SubjectProblem | undefined; at: string }>,
): readonly StoredCondition[] {
  if (hold !== undefined) return mergedConditions(before, [{ type: HELD, status: 'True', ...hold }], at);
  return before.some(({ type }) => type === HELD) ? mergedConditions(before, [NOT_HELD], at) : before;
}
