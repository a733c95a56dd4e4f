import type { AssignmentReport } from '../../../kernel/api/fleet/fleet-assignment.js';
import type { RolloutRecord } from '../record/rollout-record.js';
import { isWithdrawnFrom } from '../step/withdrawn.js';
import type { FleetView } from './fleet-view.js';
import { NOT_OFFERED } from './report-reasons.js';

/**
 * True if no cluster of a rollout has its target, and no catalog leads to it any more (decision 0469). Each
 * cluster must have reported its plan.
 */
export function isTargetWithdrawn(
  record: RolloutRecord,
  { clusters, isOwn }: Pick<FleetView, 'clusters' | 'isOwn'>,
): boolean {
  const { rows, spec, subject } = record;
  return isWithdrawnFrom(rows.values(), (name) => {
    const cluster = clusters.get(name);
    const report = cluster?.report(subject.key, spec.name);
    if (cluster === undefined || report === undefined || report.rollout !== spec.name) return false;
    return leadsElsewhere(report, spec.target) && !isOwn(record, cluster);
  });
}

/**
 * True if the cluster has made its plan, and it does not lead to the target. After an attempt the target may
 * be denied: another plan does not prove that the catalog lost it.
 */
function leadsElsewhere({ state, bundle, planned, reason }: AssignmentReport, target: string): boolean {
  if (bundle === target || planned === target) return false;
  if (state === 'Planned' && planned !== undefined) return true;
  return reason === NOT_OFFERED && (state === 'Planned' || state === 'Ready' || state === 'Failed');
}
