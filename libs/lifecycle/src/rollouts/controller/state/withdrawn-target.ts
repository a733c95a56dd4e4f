import type { AssignmentReport } from '#core/kernel/api/fleet/fleet-assignment';
import type { RolloutRecord } from '#core/rollout/controller/record/rollout-record';
import { isWithdrawnFrom } from '#core/rollout/controller/step/withdrawn';
import type { LiveCluster } from '../../assignments/live-cluster.js';
import { NOT_OFFERED } from '../../assignments/path-from.js';

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
  return isWithdrawnFrom(rows.values(), (name) => {
    const cluster = clusters.get(name);
    const report = cluster?.report(subject.key);
    if (cluster === undefined || report === undefined || report.rollout !== spec.name) return false;
    return leadsElsewhere(report, spec.target) && !ownTargets.isOwn(record, cluster);
  });
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
