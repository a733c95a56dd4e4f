import type { RolloutRow } from '#core/fleet/rollout/row';
import type { LiveFleet, LiveRollout } from '#lifecycle/fleet/rollouts/live-fleet';

/**
 * What a roll-out brings a cluster to: its target, or what the cluster plans itself where `overrides` of the
 * FleetOperator lead it to other versions (decision 0347).
 */
export function targetThere(fleet: LiveFleet, { record }: Pick<LiveRollout, 'record'>, row: RolloutRow): string {
  const { name, subject, target } = record.spec;
  const cluster = fleet.clusters.get(row.cluster);
  if (cluster === undefined || !fleet.ownTargets.isOwn(record, cluster)) return target;
  const order = cluster.assignment?.spec.rows.find((one) => one.subject === subject);
  const ordered = order?.rollout === name && order.order !== 'Preview' ? order.target?.bundle : undefined;
  const { planned, bundle } = cluster.report(subject) ?? {};
  const found = row.phase === 'Done' ? bundle : (planned ?? bundle);
  return (row.attempt > 0 ? ordered : undefined) ?? found ?? target;
}
