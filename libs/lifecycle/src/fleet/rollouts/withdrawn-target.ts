import { isInFlight } from '#core/fleet/rollout/row';
import type { RolloutRecord } from '#core/fleet/simulation/rollout-record';
import type { AssignmentReport } from '#core/kernel/api/fleet/fleet-assignment';
import type { LiveCluster } from './live-cluster.js';
import { NOT_OFFERED } from './path-from.js';

type WithdrawnFleet = Readonly<{
  clusters: ReadonlyMap<string, LiveCluster>;
  ownTargets: Readonly<{ isOwn: (record: RolloutRecord, cluster: LiveCluster) => boolean }>;
}>;

/**
 * Whether no cluster of a roll-out has its target, or is led to it any more: the catalogs have other versions
 * by now (decision 0469). While one of them has not said what it plans, that is not known.
 */
export function isTargetWithdrawn(record: RolloutRecord, { clusters, ownTargets }: WithdrawnFleet): boolean {
  const { rows, spec, subject } = record;
  let isAnyThere = false;
  for (const row of rows.values()) {
    if (row.phase === 'Removed') continue;
    const cluster = clusters.get(row.cluster);
    const report = cluster?.report(subject.key);
    if (cluster === undefined || report === undefined || isInFlight(row)) return false;
    const isElsewhere = report.rollout === spec.name && leadsElsewhere(report, spec.target);
    if (!isElsewhere || ownTargets.isOwn(record, cluster)) return false;
    isAnyThere = true;
  }
  return isAnyThere;
}

/**
 * The cluster has decided what it plans, and it is not the target. Where an attempt has ended the target may
 * be denied, and what is planned instead does not say that it is not to be had.
 */
function leadsElsewhere({ state, bundle, planned, reason }: AssignmentReport, target: string): boolean {
  if (bundle === target || planned === target) return false;
  if (state === 'Planned' && planned !== undefined) return true;
  return reason === NOT_OFFERED && (state === 'Planned' || state === 'Ready' || state === 'Failed');
}
