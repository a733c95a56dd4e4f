import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { RolloutPhase } from '#core/rollout/controller/step/phases';
import { ROLLBACK_CLASS } from '#core/rollout/controller/step/returns';
import { isOfReturns, type RolloutRow } from '#core/rollout/controller/step/row';
import { type Counts, sumOf } from '#core/rollout/controller/step/tally';
import { durationMs, placesOf } from '#core/rollout/placement/waves';
import { type ApprovalDemand, approvalDemands } from '#core/rollout/review/class-approval';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { NotFound, UsageError } from '../../../terminal/io.js';
import { holdOf, type WindowHoldText, windowsOf } from './window-hold.js';

/** A wave, as `fleet status` shows it. */
export type WaveAnswer = Readonly<{
  name: string;
  phase: string;
  reason: string;
  counts: Counts;
  /** Most clusters in flight at one time. */
  limit: number;
  /** Failures that count. */
  failures: number;
  soak: string;
  /** The end of the soak by the clock, while it runs. */
  soakUntil: string | null;
  openedAt: string | null;
  completedAt: string | null;
}>;

/** Clusters that wait for one and the same thing. */
export type WaitingAnswer = Readonly<{ reason: string; clusters: number; window: WindowHoldText | null }>;

export type ClassAnswer = Readonly<{
  hash: string;
  clusters: number;
  changes: readonly string[];
  approval: string;
  reason: string;
  demands: readonly ApprovalDemand[];
}>;

export type FailureAnswer = Readonly<{ reason: string; cause: string; clusters: number; sample: readonly string[] }>;

/** One rollout, also printed by `fleet status ROLLOUT -o json`. */
export type RolloutAnswer = Readonly<{
  name: string;
  subject: string;
  target: string;
  phase: RolloutPhase;
  reason: string;
  role: string;
  startedAt: string;
  finishedAt: string | null;
  /** The first wave that is not Complete, from 1; null if all are. */
  currentWave: number | null;
  counts: Counts;
  waves: readonly WaveAnswer[];
  waiting: readonly WaitingAnswer[];
  classes: readonly ClassAnswer[];
  failures: readonly FailureAnswer[];
  /** The failures of clusters that since go back, or have gone back. */
  wentBack: readonly Omit<FailureAnswer, 'reason'>[];
}>;

const SAMPLE = 5;
const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

/** Returns the present state of a rollout. */
export function rolloutAnswer(fleet: LiveFleet, { record, facts }: LiveRollout): RolloutAnswer {
  const { spec, status, tallies } = record;
  const rows = [...record.rows.values()].filter(({ phase }) => phase !== 'Removed');
  const waves = spec.waves.map((_, at) => waveAnswer(record, at));
  const current = waves.findIndex(({ phase }) => phase !== 'Complete');
  return {
    name: spec.name,
    subject: spec.subject,
    target: spec.target,
    phase: status.phase,
    reason: status.reason,
    role: facts.role,
    startedAt: new Date(status.startedAt).toISOString(),
    finishedAt: timeOf(status.finishedAt),
    currentWave: current < 0 ? null : current + 1,
    counts: sumOf(tallies).counts,
    waves,
    waiting: waitingAnswers(fleet, record.subject, rows),
    classes: classAnswers(fleet, record, rows),
    failures: failureAnswers(rows),
    wentBack: wentBackAnswers(rows),
  };
}

type RolloutOf = LiveRollout['record'];

function waveAnswer({ spec, status, tallies }: RolloutOf, at: number): WaveAnswer {
  const wave = spec.waves[at];
  const state = status.waves[at];
  const tally = tallies[at];
  if (wave === undefined || state === undefined || tally === undefined) {
    throw new RangeError(`rollout ${spec.name} has no wave ${at}`);
  }
  const from = tally.lastSuccessAt ?? state.openedAt;
  const soaks = state.phase === 'Soaking' && state.reason === 'Soak' && from !== undefined;
  return {
    name: wave.name,
    phase: state.phase,
    reason: state.reason,
    counts: tally.counts,
    limit: tally.targets === 0 ? 0 : placesOf(wave.spec.maxConcurrent, tally.targets),
    failures: tally.failures,
    soak: wave.spec.soak,
    soakUntil: soaks ? timeOf(from + durationMs(wave.spec.soak)) : null,
    openedAt: timeOf(state.openedAt),
    completedAt: timeOf(state.completedAt),
  };
}

function waitingAnswers(fleet: LiveFleet, subject: RolloutOf['subject'], rows: readonly RolloutRow[]): WaitingAnswer[] {
  const byReason = Map.groupBy(
    rows.filter(({ phase }) => phase === 'Waiting'),
    ({ reason }) => reason,
  );
  return [...byReason]
    .map(([reason, own]) => {
      const isWindow = reason === 'Window' || reason === 'Frozen';
      const holds = isWindow ? holdsOf(fleet, subject, own) : [];
      const first = holds.sort((a, b) => byCodeUnit(a.untilAt ?? '~', b.untilAt ?? '~'))[0];
      return { reason, clusters: own.length, window: first ?? null };
    })
    .sort((a, b) => b.clusters - a.clusters || byCodeUnit(a.reason, b.reason));
}

/** Clusters with the same windows are held alike: each set of windows is checked once. */
function holdsOf(fleet: LiveFleet, subject: RolloutOf['subject'], rows: readonly RolloutRow[]): WindowHoldText[] {
  const bySet = new Map<string, string>();
  for (const { cluster } of rows) {
    const names = windowsOf(fleet, cluster, subject).map(({ name }) => name);
    bySet.set(names.join(' '), cluster);
  }
  return [...bySet.values()].flatMap((cluster) => holdOf(fleet, subject, cluster) ?? []);
}

function classAnswers(fleet: LiveFleet, record: RolloutOf, rows: readonly RolloutRow[]): ClassAnswer[] {
  const counts = Map.groupBy(rows, (row) => row.class);
  return record.status.classes.map(({ name, changes, votes, state }) => ({
    hash: name,
    clusters: name === ROLLBACK_CLASS ? rows.filter(isOfReturns).length : (counts.get(name)?.length ?? 0),
    changes,
    approval: state.phase,
    reason: state.reason,
    demands: approvalDemands(changes, record.spec.strategy.approval, votes, fleet.now),
  }));
}

const wentBackAnswers = (rows: readonly RolloutRow[]): Omit<FailureAnswer, 'reason'>[] =>
  causesOf(rows.filter(({ phase, isFailure }) => isFailure && (phase === 'RollingBack' || phase === 'RolledBack'))).map(
    ({ reason: _returned, ...one }) => one,
  );

const failureAnswers = (rows: readonly RolloutRow[]): FailureAnswer[] =>
  causesOf(rows.filter(({ phase }) => phase === 'Failed'));

/** Clusters that failed with the same cause together. */
function causesOf(failed: readonly RolloutRow[]): FailureAnswer[] {
  const byCause = Map.groupBy(failed, ({ reason, message }) => `${reason}\n${message}`);
  return [...byCause.values()]
    .map((own) => ({
      reason: own[0]?.reason ?? '',
      cause: own[0]?.message ?? '',
      clusters: own.length,
      sample: own
        .map(({ cluster }) => cluster)
        .sort(byCodeUnit)
        .slice(0, SAMPLE),
    }))
    .sort((a, b) => b.clusters - a.clusters || byCodeUnit(a.reason + a.cause, b.reason + b.cause));
}

/** Returns the class whose hash is the typed text, or begins with it. */
export function meantClass(classes: readonly ClassAnswer[], typed: string): ClassAnswer {
  const found = classes.filter(({ hash }) => hash.startsWith(typed));
  const [first, ...others] = found;
  if (first === undefined) {
    const known = classes.map(({ hash }) => hash).join(', ') || 'none';
    throw new NotFound(`there is no plan class "${typed}"; known classes: ${known}`);
  }
  if (others.length === 0) return first;
  throw new UsageError(
    `hash).join(', ')} => plan class "${typed}" is ambiguous: ${found.map(({ hash }) => hash).join(', ')} => hash).join(', ')}`,
  );
}
