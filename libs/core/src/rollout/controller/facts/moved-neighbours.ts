import type { AssignmentReport } from '../../../kernel/api/fleet/fleet-assignment.js';
import type { RolloutRecord } from '../record/rollout-record.js';
import type { FleetFiles } from '../record/subjects.js';
import { classOf } from './cluster-report.js';
import type { KnownCluster, Neighbour } from './fleet-view.js';
import { VERSION_NOT_ALLOWED } from './report-reasons.js';

/**
 * Returns other FleetOperators of the namespace that the plan of a rollout in a cluster changes, too, each
 * with the class that it must have approved there (design: fleet.md §3.2, why: fleet-operators.md
 * "Neighbours").
 */
export function movedNeighbours(
  files: FleetFiles,
  { subject }: Pick<RolloutRecord, 'subject'>,
  cluster: Pick<KnownCluster, 'report'>,
): readonly Neighbour[] {
  const own = cluster.report(subject.key);
  if (own?.changes.includes('NeighbourMove') !== true) return [];
  return [...files.subjects.values()].flatMap(({ key, place }) => {
    const other =
      key === subject.key || place?.namespace !== subject.place?.namespace ? undefined : cluster.report(key);
    return other === undefined || !isMoved(own, other) ? [] : [{ key, class: classOf(other) }];
  });
}

/** True if one InstallPlan is that of both; of one that `versions` keeps out no plan is reported. */
const isMoved = (own: AssignmentReport, other: AssignmentReport): boolean =>
  other.hops.some((hop) => own.hops.includes(hop)) ||
  (other.changes.length === 0 && other.reason === VERSION_NOT_ALLOWED);
