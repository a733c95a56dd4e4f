import type { RolloutFigures } from '#platform/telemetry/metrics/rollout-metrics';
import type { LiveFleet, LiveRollout } from '../state/live-fleet.js';

const MS_IN_SECOND = 1_000;
const PHASES = [
  ...(['waiting', 'applying', 'verifying', 'done', 'failed'] as const),
  ...(['rollingBack', 'rolledBack', 'skipped'] as const),
];

/** The figures of a fleet as a pass has left it. */
export function rolloutFigures(fleet: LiveFleet, now: number): RolloutFigures {
  const active = fleet.rollouts.filter(({ facts }) => facts.role === 'active');
  const clusters = new Map<string, number>();
  for (const cluster of fleet.clusters.values()) {
    const state = cluster.isReachable ? (cluster.isPaused ? 'paused' : 'reachable') : 'away';
    clusters.set(state, (clusters.get(state) ?? 0) + 1);
  }
  const waiting = new Map<string, number>();
  const classes = new Map<string, number>();
  for (const { record } of active) {
    for (const { phase, reason } of record.rows.values()) {
      if (phase === 'Waiting') waiting.set(reason, (waiting.get(reason) ?? 0) + 1);
    }
    classes.set(record.spec.subject, record.status.classes.length);
  }
  const awaiting = active.filter(({ record }) => record.status.classes.some(({ state }) => state.phase === 'Waiting'));
  const since = Math.min(now, ...awaiting.map(({ record }) => record.status.startedAt));
  return { clusters, waves: active.flatMap(waveFigures), waiting, classes, approvalAge: (now - since) / MS_IN_SECOND };
}

const waveFigures = ({ record }: LiveRollout): RolloutFigures['waves'] =>
  record.spec.waves.flatMap(({ name }, at) =>
    PHASES.map((phase) => ({
      rollout: record.spec.name,
      wave: name,
      phase,
      clusters: record.tallies[at]?.counts[phase] ?? 0,
    })),
  );
