import type { RolloutRow } from '#core/rollout/controller/step/row';
import { isNewer } from '#core/rollout/review/plan-changes';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';

/**
 * Returns the target of a cluster in a rollout. It is the rollout's target, or the cluster's own plan if
 * `overrides` of the FleetOperator lead it to other versions (why: fleet-operators.md "Overrides").
 */
export function targetThere(
  fleet: Pick<LiveFleet, 'clusters' | 'ownTargets'>,
  { record }: Pick<LiveRollout, 'record'>,
  row: RolloutRow,
): string {
  const { name, subject, target } = record.spec;
  const cluster = fleet.clusters.get(row.cluster);
  if (cluster === undefined || !fleet.ownTargets.isOwn(record, cluster)) return target;
  const order = cluster.assignment?.spec.rows.find((one) => one.subject === subject);
  const ordered = order?.rollout === name && order.order !== 'Preview' ? order.target?.bundle : undefined;
  const { planned, bundle } = cluster.report(subject) ?? {};
  const found = row.phase === 'Done' ? bundle : (planned ?? bundle);
  return (row.attempt > 0 ? ordered : undefined) ?? found ?? target;
}

/** Returns the text for a cluster that already has all of the target. */
export function upToDateText(
  fleet: Pick<LiveFleet, 'clusters' | 'ownTargets'>,
  rollout: Pick<LiveRollout, 'record'>,
  row: RolloutRow,
): string {
  const target = targetThere(fleet, rollout, row);
  const { bundle } = fleet.clusters.get(row.cluster)?.report(rollout.record.spec.subject) ?? {};
  const isAhead = bundle !== undefined && isNewer(bundle, target);
  return isAhead ? `has ${bundle}, which is newer than ${target}` : `had ${target} already`;
}
