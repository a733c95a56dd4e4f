import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { planClassName } from '#core/rollout/review/shown-differences';

/** Name and namespace of the FleetPlan of a plan class. */
export type FleetPlanName = Readonly<{ name: string; namespace: string }>;

/** Names the FleetPlan that keeps the plan of a finding; undefined if there is none to be reviewed. */
export function fleetPlanNameOf(row: AssignmentRow, finding: Partial<AssignmentReport>): FleetPlanName | undefined {
  const isReviewed = row.order === 'Preview' || row.order === 'Go';
  if (!isReviewed || row.rollout === undefined || finding.planHash === undefined) return undefined;
  // A rollout of another target has its own classes.
  if (row.target?.bundle !== finding.planned) return undefined;
  const [namespace = '', rollout = ''] = row.rollout.split('/');
  return { name: `${rollout}-${planClassName(finding)}`, namespace };
}
