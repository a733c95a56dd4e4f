import type { RolloutRecord } from '../controller/record/rollout-record.js';
import { newRow, type RolloutRow } from '../controller/step/row.js';
import { durationMs, orderOf, waveOf } from '../placement/waves.js';
import type { Controller } from './controller.js';
import type { VirtualCluster } from './virtual-cluster.js';
import type { VirtualWorld } from './world.js';

type Gates = RolloutRow['gates'];

/** Removes answers of gates that have decided nothing yet. */
const decided = (gates: Gates): Gates =>
  Object.fromEntries(Object.entries(gates).filter(([, { state }]) => state !== null));

const hasUndecided = (gates: Gates): boolean => Object.values(gates).some(({ state }) => state === null);

/**
 * Restores the rollout after statuses were deleted. One-time events are in the rollout and its rows, and
 * numbers are counted again. Answers of gates that have not decided yet are lost: their count and their time
 * restart.
 */
export function forgetStatus(record: RolloutRecord, now: number): void {
  const waves = record.status.waves.map((wave) =>
    hasUndecided(wave.gates) ? { ...wave, gates: decided(wave.gates), gatesFrom: now } : wave,
  );
  record.status = { ...record.status, waves };
  for (const row of [...record.rows.values()]) {
    if (!hasUndecided(row.gates)) continue;
    record.rows.set(row.cluster, { ...row, gates: decided(row.gates), gatesSince: undefined });
  }
  record.recount();
}

/** Rebuilds rows after assignments were deleted, from the clusters' installed bundles and reports. */
export function rebuildRows(record: RolloutRecord, world: VirtualWorld, controller: Controller): void {
  const rollouts = controller.rolloutsOf(record.subject.key);
  const isKept = rollouts.roleOf(record) === 'frozen' && record !== rollouts.newest;
  if (isKept || record.isQueued || record.isNew) return;
  const rows = [...record.rows.values()].flatMap((row) => {
    const cluster = world.clusters.get(row.cluster);
    return cluster === undefined ? [] : rebuilt(record, cluster, row, world);
  });
  controller.writer.storeRebuilt(record, rows);
}

function rebuilt(record: RolloutRecord, cluster: VirtualCluster, before: RolloutRow, world: VirtualWorld): RolloutRow {
  const { spec } = record;
  const order = orderOf(spec.uid, cluster.name);
  // The wave of a cluster that has started is in the annotation of its Subscription.
  const wave = before.keepsWave ? before.wave : waveOf(spec.waves, spec.cuts, cluster, order);
  const row = { ...newRow(cluster.name, order, wave, cluster), keepsWave: before.keepsWave, class: before.class };
  if (!cluster.isReachable) return { ...row, reason: 'Offline' };
  const result = cluster.results.get(spec.name);
  if (result !== undefined) {
    const { phase, reason, attempt } = result;
    return { ...row, phase, reason, attempt, isFailure: phase === 'Failed' };
  }
  return fromReport(record, cluster, row, world);
}

/** Rebuilds a row from the cluster's own report: the target is there, its InstallPlan runs, or neither. */
function fromReport(record: RolloutRecord, cluster: VirtualCluster, row: RolloutRow, world: VirtualWorld): RolloutRow {
  const { spec, status } = record;
  const report = cluster.reports.get(spec.name);
  const attempt = report?.attempt ?? 0;
  const started = { ...row, attempt, hop: report?.hop ?? 0, keepsWave: row.keepsWave || attempt > 0 };
  const rules = spec.waves[row.wave]?.spec;
  const deadlineAt = world.now + durationMs(rules?.progressDeadline ?? '0s');
  const isInstalled = world.installed(cluster, record.subject) === spec.target;
  if (isInstalled && (report === undefined || report.state === 'Ready')) {
    const hasGates = rules?.gates.some(({ when, scope }) => when === 'After' && scope === 'Cluster') === true;
    const mustVerify = hasGates && attempt > 0 && status.waves[row.wave]?.phase !== 'Complete';
    if (mustVerify) return { ...started, phase: 'Verifying', reason: 'Rebuilt', deadlineAt };
    return { ...started, phase: 'Done', reason: 'Rebuilt', doneAt: attempt > 0 ? world.now : undefined };
  }
  const isRunning = report?.state === 'Running' && (!report.isIdle || isInstalled);
  if (!isRunning) return { ...started, reason: 'Planning' };
  return { ...started, phase: 'Applying', reason: 'Rebuilt', isRunning: true, deadlineAt };
}
