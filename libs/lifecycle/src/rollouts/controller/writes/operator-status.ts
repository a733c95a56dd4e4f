import type { AssignmentReport } from '#core/kernel/api/fleet/fleet-assignment';
import {
  type FleetOperatorStatus,
  MOST_DENIED_SHOWN,
  MOST_VERSIONS_SHOWN,
} from '#core/kernel/api/fleet/fleet-operator';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { type FoundCondition } from '#core/kernel/conditions/condition-list';
import type { HubCluster } from '#core/rollout/controller/facts/hub-cluster';
import { CONFLICT } from '#core/rollout/controller/facts/report-reasons';
import type { RolloutRecord } from '#core/rollout/controller/record/rollout-record';
import type { FleetSubject } from '#core/rollout/controller/record/subjects';
import { isInFlight } from '#core/rollout/controller/step/row';
import { sumOf } from '#core/rollout/controller/step/tally';
import { type OperatorSummary, operatorConditions, type SummedRollout } from '#core/rollout/status/operator-conditions';
import type { LiveFleet } from '../state/live-fleet.js';

/** The status of a FleetOperator without its conditions. */
export type OperatorFigures = Readonly<{
  active: string | undefined;
  standing: string | undefined;
  /** Counts of the newest rollout. */
  counts: Readonly<Record<string, number>> | undefined;
  /** `done/targets` of the newest rollout, for users. */
  done: string | undefined;
  versions: readonly Readonly<{ bundle: string; clusters: number }>[];
  denied: FleetOperatorStatus['denied'];
}>;

/** Returns the state of a FleetOperator in its clusters. */
export function operatorFigures(
  subject: FleetSubject,
  fleet: LiveFleet,
): Readonly<{ conditions: FoundCondition[]; figures: OperatorFigures }> {
  const { active, standing, newest } = fleet.rolloutsOf(subject.key);
  const targets = fleet.targetsOf(subject);
  const found = reported(subject, targets, newest);
  const summary: OperatorSummary = {
    ...{ isPaused: subject.isPaused, ...found, conflicting: conflictsOf(subject, targets, fleet) },
    active: active && summed(active),
    hasQueued: active === undefined && newest?.isQueued === true,
    newest: newest && summed(newest),
  };
  const counts = newest && sumOf(newest.tallies).counts;
  const figures = {
    active: active && nameOf(active),
    standing: standing && nameOf(standing),
    counts,
    done: counts && `${counts.done}/${counts.targets}`,
    versions: found.versions,
    denied: found.denied,
  };
  return { conditions: operatorConditions(summary), figures };
}

type Reported = Pick<OperatorSummary, 'installed' | 'unhealthy' | 'updatable' | 'drifted' | 'deprecated'> &
  Pick<OperatorFigures, 'versions' | 'denied'>;

/** Summarizes the reports of the clusters. */
function reported({ key }: FleetSubject, targets: readonly HubCluster[], newest: RolloutRecord | undefined): Reported {
  const all = targets.flatMap((cluster) => {
    const report = cluster.report(key);
    return report === undefined ? [] : [{ name: cluster.name, ...report }];
  });
  const there = all.filter(({ bundle }) => bundle !== undefined);
  const names = (which: (report: (typeof all)[number]) => boolean, of = there) =>
    of.filter(which).map(({ name }) => name);
  // A cluster with a change in progress is neither healthy nor unhealthy.
  const isMoving = (name: string) => {
    const row = newest?.rows.get(name);
    return row !== undefined && (isInFlight(row) || row.phase === 'RollingBack');
  };
  const versions = new Map<string, number>();
  for (const { bundle = '' } of there) versions.set(bundle, (versions.get(bundle) ?? 0) + 1);
  const inOrder = [...versions].sort(([a, m], [b, n]) => n - m || byCodeUnit(b, a));
  return {
    installed: there.length,
    unhealthy: names(({ name, healthy }) => !healthy && !isMoving(name)),
    updatable: names(({ planned, bundle }) => planned !== undefined && planned !== bundle),
    drifted: names(({ drift }) => drift, all),
    deprecated: there.flatMap(({ name, deprecated: because }) => (because ? [{ cluster: name, because }] : [])),
    versions: inOrder.slice(0, MOST_VERSIONS_SHOWN).map(([bundle, clusters]) => ({ bundle, clusters })),
    denied: deniedFor(all),
  };
}

/** Returns the denials for the whole subject: each bundle with the rollout that was rolled back first. */
function deniedFor(reports: readonly AssignmentReport[]): FleetOperatorStatus['denied'] {
  const found = reports.flatMap(({ denied }) => denied.filter(({ scope }) => scope === 'Operator'));
  found.sort((a, b) => byCodeUnit(a.bundle, b.bundle) || byCodeUnit(a.since ?? '', b.since ?? ''));
  const first = found.filter(({ bundle }, at) => bundle !== found[at - 1]?.bundle);
  return first.slice(0, MOST_DENIED_SHOWN).map(({ scope: _scope, ...one }) => one);
}

const nameOf = ({ spec }: RolloutRecord): string => spec.name.split('/')[1] ?? spec.name;

function summed(record: RolloutRecord): SummedRollout {
  const { phase, reason, classes } = record.status;
  const { counts } = sumOf(record.tallies);
  return {
    ...{ name: nameOf(record), phase, reason, failed: counts.failed, inFlight: counts.applying + counts.verifying },
    isAsking: classes.some(({ state }) => state.phase === 'Waiting'),
  };
}

/**
 * Returns the clusters that skip the subject, with the reason: an older subject acts there, or the report
 * says so.
 */
function conflictsOf(
  { key, place }: FleetSubject,
  targets: readonly HubCluster[],
  fleet: LiveFleet,
): OperatorSummary['conflicting'] {
  const all = [...fleet.files.subjects.values()];
  const older = all
    .slice(
      0,
      all.findIndex((other) => other.key === key),
    )
    .filter((other) => other.place?.package === place?.package && other.place?.namespace === place?.namespace);
  return targets.flatMap((cluster) => {
    const acting = place && older.find((other) => fleet.isTarget(other, cluster));
    const { package: name, namespace } = place ?? {};
    if (acting !== undefined) {
      const [kind, ...path] = acting.key.split('/');
      const because = `${kind} ${path.join('/')} is older, and manages package ${name} in namespace ${namespace}`;
      return [{ cluster: cluster.name, because }];
    }
    const report = cluster.report(key);
    return report?.reason !== CONFLICT ? [] : [{ cluster: cluster.name, because: report.message ?? 'see its report' }];
  });
}
