import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { sameJson } from '#core/kernel/canonical/same-json';
import type { HubCluster } from '#core/rollout/controller/facts/hub-cluster';
import { leavingStep, needsRemoval, REMOVAL_FINALIZER, REMOVED } from '#core/rollout/desired/leaving';
import { isDenied } from '#core/rollout/windows/window-rules';
import { inParallel } from '#platform/fairness/in-parallel';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { LiveFleet } from '../state/live-fleet.js';
import { writePause, writeRow } from './hub-objects.js';

const ROWS_AT_ONCE = 16;

/** Returns the order of a cluster that plans without a rollout. */
export const previewOrder = (subject: string): AssignmentRow => ({
  subject,
  order: 'Preview',
  attempt: 0,
  approvedBy: [],
});

/** The order of a cluster about a subject that is not to be there any more; undefined: none. */
export function leavingOrder(subject: string, cluster: HubCluster, fleet: LiveFleet): AssignmentRow | undefined {
  const operator = fleet.operators.get(subject);
  const known = cluster.assignment?.spec.rows.find((row) => row.subject === subject);
  const target = fleet.files.subjects.get(subject);
  if (operator === undefined || known === undefined) return undefined;
  // Its row has ended for another reason: it is planned again.
  if (target !== undefined && fleet.isTarget(target, cluster)) return undefined;
  const labels = operator.metadata.labels ?? {};
  const windows = fleet.files.windows.filter(
    (window) => window.concerns({ kind: 'FleetOperator', labels }) && window.selects(cluster),
  );
  const step = leavingStep({
    removal: operator.spec.removal,
    isReplaced: cluster.isReplaced,
    isPaused: cluster.isPaused,
    isDenied: isDenied(windows, fleet.now),
    isRemoved: known.order === 'Remove' && cluster.report(subject)?.reason === REMOVED,
  });
  if (step === 'Withdraw') return undefined;
  return { ...previewOrder(subject), order: step === 'Remove' ? 'Remove' : 'Preview' };
}

/**
 * Writes the list of paused clusters. Withdraws orders about subjects that leave their clusters, and all
 * orders of clusters that left.
 */
export async function withdrawOrders(hub: KubeClient, fleet: LiveFleet): Promise<void> {
  const { isUnread } = fleet;
  await inParallel([...fleet.clusters.values()], ROWS_AT_ONCE, async (cluster) => {
    const { assignment, isPaused } = cluster;
    if (assignment !== undefined && (assignment.spec.paused === true) !== isPaused) {
      await writePause(hub, cluster.name, isPaused);
    }
    for (const known of cluster.assignment?.spec.rows ?? []) {
      const { subject } = known;
      const order = orderNow(known, cluster, fleet);
      if (order === known) continue;
      await writeRow(hub, { cluster: cluster.name, subject, rollout: undefined, step: 0, row: undefined, order });
    }
  });
  const left = fleet.state.assignments.filter(
    ({ metadata: { name } }) => !fleet.clusters.has(name) && !isUnread(`FleetCluster/${name}`),
  );
  await inParallel(left, ROWS_AT_ONCE, async ({ metadata: { name } }) => {
    await hub.delete({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
  });
}

/**
 * Keeps FleetOperators until the removal of their operators is done, if they are deleted with their
 * operators.
 */
export async function keepUntilRemoved(hub: KubeClient, fleet: LiveFleet): Promise<void> {
  const ordered = new Set(fleet.state.assignments.flatMap(({ spec }) => spec.rows.map(({ subject }) => subject)));
  for (const [key, operator] of fleet.operators) {
    const { name, namespace, resourceVersion, finalizers: before = [], deletionTimestamp } = operator.metadata as Meta;
    const isDeleted = deletionTimestamp !== undefined;
    const isKept = needsRemoval(operator, isDeleted, ordered.has(key));
    const others = before.filter((one) => one !== REMOVAL_FINALIZER);
    const finalizers = isKept ? [...others, REMOVAL_FINALIZER] : others;
    const isSettled = sameJson([...finalizers].sort(), [...before].sort());
    // An object that is deleted already gets no new finalizer.
    if (isSettled || (isDeleted && isKept)) continue;
    try {
      const ref = { apiVersion: FLEET_API, kind: 'FleetOperator', name, namespace };
      await hub.patch(ref, { metadata: { resourceVersion, finalizers } });
    } catch (error) {
      // It has changed in between, or is gone: the next pass sees that.
      if (!KubeApiError.is(error, 'Conflict', 'NotFound')) throw error;
    }
  }
}

type Meta = Readonly<{
  name: string;
  namespace: string;
  resourceVersion?: string;
  finalizers?: readonly string[];
  deletionTimestamp?: string;
}>;

/** Returns the order to write: the same if its subject is desired, or if nothing is known about that. */
function orderNow(known: AssignmentRow, cluster: HubCluster, fleet: LiveFleet): AssignmentRow | undefined {
  const subject = fleet.files.subjects.get(known.subject);
  if (fleet.held.isHeld(known.subject)) return known;
  if (subject !== undefined && fleet.isTarget(subject, cluster)) {
    return known.order === 'Remove' ? previewOrder(known.subject) : known;
  }
  const order = leavingOrder(known.subject, cluster, fleet);
  return order !== undefined && known.rollout === undefined && known.order === order.order ? known : order;
}
