import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { isNewer } from '#core/rollout/review/plan-changes';
import type { RowFinding } from '../place/row-finding.js';

/** Bundle of a cluster when an order is carried out. `before`: the one before the rollout, if known. */
type AheadFacts = Readonly<{ installed: string | undefined; before: string | null | undefined; isHealthy: boolean }>;

/**
 * Reports the end of an order in a cluster if its users have gone ahead of its target (decision 0527).
 * Returns undefined if they have not. If the target is older than the cluster's version before the rollout,
 * the cluster is on its way to it.
 */
export function wentAhead(
  { order, result, target }: AssignmentRow,
  { installed, before, isHealthy }: AheadFacts,
  { planned, planHash }: Pick<RowFinding, 'planned' | 'planHash'>,
): Pick<RowFinding, 'state' | 'healthy'> | undefined {
  const bundle = target?.bundle;
  if (installed === undefined || bundle === undefined || !isNewer(installed, bundle)) return undefined;
  if (order === 'Rest') return result === 'Done' ? { state: 'Ready', healthy: isHealthy } : undefined;
  const isUnderWay = planned === bundle || (planHash !== undefined && planHash === target?.planHash);
  if (order !== 'Go' || isUnderWay || before === installed) return undefined;
  return { state: 'Ready', healthy: isHealthy };
}
