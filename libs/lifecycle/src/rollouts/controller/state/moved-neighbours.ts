import type { AssignmentReport } from '#core/kernel/api/fleet/fleet-assignment';
import type { RolloutRecord } from '#core/rollout/controller/record/rollout-record';
import { isApprovedIn } from '#core/rollout/controller/step/neighbours';
import { classOf } from '../../assignments/live-cluster.js';
import { VERSION_NOT_ALLOWED } from '../../assignments/order-place.js';
import type { FleetView } from './live-facts.js';

/**
 * Other FleetOperators of the namespace that the plan of a roll-out in a cluster moves, too, and that do not
 * have it approved: their own class waits, their `versions` do not let in what comes, or no roll-out of
 * theirs brings it yet (design: fleet.md §3.2, decision 0472).
 */
export function unapprovedNeighbours(
  fleet: Pick<FleetView, 'clusters' | 'files' | 'rolloutsOf'>,
  { subject }: Pick<RolloutRecord, 'subject'>,
  name: string,
): readonly string[] {
  const cluster = fleet.clusters.get(name);
  const own = cluster?.report(subject.key);
  if (cluster === undefined || own?.changes.includes('NeighbourMove') !== true) return [];
  return [...fleet.files.subjects.values()].flatMap(({ key, place }) => {
    const other =
      key === subject.key || place?.namespace !== subject.place?.namespace ? undefined : cluster.report(key);
    if (other === undefined || !isMoved(own, other)) return [];
    return isApprovedIn(fleet.rolloutsOf(key).active, name, classOf(other)) ? [] : [key];
  });
}

/** Whether one InstallPlan is that of both; of one that `versions` keeps out no plan is reported. */
const isMoved = (own: AssignmentReport, other: AssignmentReport): boolean =>
  other.hops.some((hop) => own.hops.includes(hop)) ||
  (other.changes.length === 0 && other.reason === VERSION_NOT_ALLOWED);
