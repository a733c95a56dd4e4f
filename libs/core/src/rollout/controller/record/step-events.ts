import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { placesOf } from '../../placement/waves.js';
import type { Decision, DecisionReason } from '../step/decisions.js';
import { ROLLBACK_CLASS } from '../step/returns.js';
import type { RolloutStatus } from '../step/rollout-state.js';
import { isInFlight, type RolloutRow } from '../step/row.js';
import type { StepResult } from '../step/step.js';
import { sumOf, type WaveTally } from '../step/tally.js';
import type { EventFacts } from './event-log.js';
import type { RolloutRecord } from './rollout-record.js';
import { isEvent, type RowChange } from './row-change.js';

type Common = Readonly<{ rollout: string; subject: string }>;

export const decisionEvent = (decision: Decision, reason: DecisionReason, subject: string | null): EventFacts => ({
  kind: 'decision',
  phase: decision.action,
  reason,
  rollout: decision.rollout,
  subject,
  wave: decision.wave,
  class: decision.class,
  by: decision.by.user,
  message: decision.reason,
});

/** The events of a step but for its writes, in their order, from the record as it was before. */
export function stepEvents(
  record: RolloutRecord,
  before: RolloutStatus | undefined,
  changes: readonly RowChange[],
  result: Pick<StepResult, 'status' | 'tallies'>,
): EventFacts[] {
  const common = { rollout: record.spec.name, subject: record.subject.key };
  return [
    ...gateEvents(record, before, changes, result.status, common),
    ...classEvents(before, result.status, common),
    ...clusterEvents(record, changes, result.tallies, common),
    ...waveEvents(record, before, result, common),
    ...rolloutEvents(before?.phase ?? (record.hasWaited ? 'Planning' : null), before?.reason, result, common),
  ];
}

/**
 * Returns the order of a row's event: changes that free a place come first, then moves between kinds of
 * places, then the rest. No event therefore exceeds a limit.
 */
function turnOf({ before, after }: RowChange): number {
  const wasBusy = before !== undefined && (isInFlight(before) || before.phase === 'RollingBack');
  if (!wasBusy || isInFlight(after)) return 2;
  return after.phase === 'RollingBack' ? 1 : 0;
}

function clusterEvents(
  record: RolloutRecord,
  changes: readonly RowChange[],
  tallies: readonly WaveTally[],
  common: Common,
): EventFacts[] {
  const inFlight = record.tallies.map((tally) => tally.inFlight);
  const limits = record.spec.waves.map(({ spec }, at) => placesOf(spec.maxConcurrent, tallies[at]?.targets ?? 0));
  const sorted = changes
    .filter(isEvent)
    .sort(
      (a, b) => turnOf(a) - turnOf(b) || a.after.wave - b.after.wave || byCodeUnit(a.after.cluster, b.after.cluster),
    );
  return sorted.map(({ before, after }) => {
    const was = before !== undefined && isInFlight(before) ? 1 : 0;
    const running = (inFlight[after.wave] ?? 0) + (isInFlight(after) ? 1 : 0) - was;
    inFlight[after.wave] = running;
    record.maxInFlight[after.wave] = Math.max(record.maxInFlight[after.wave] ?? 0, running);
    const goesBack = after.phase === 'RollingBack' || after.phase === 'RolledBack';
    return {
      kind: 'cluster' as const,
      ...common,
      phase: after.phase,
      reason: after.reason,
      message: after.message,
      from: before?.phase ?? null,
      wave: record.spec.waves[after.wave]?.name ?? null,
      cluster: after.cluster,
      class: goesBack ? ROLLBACK_CLASS : after.class,
      attempt: after.attempt,
      hop: after.hop,
      bundle: goesBack ? record.previousOf(after.cluster) : record.spec.target,
      inFlight: running,
      limit: limits[after.wave] ?? 0,
    };
  });
}

function gateEvents(
  record: RolloutRecord,
  before: RolloutStatus | undefined,
  changes: readonly RowChange[],
  after: RolloutStatus,
  common: Common,
): EventFacts[] {
  const events: EventFacts[] = [];
  const compare = (was: RolloutRow['gates'], is: RolloutRow['gates'], wave: number, cluster: string | null): void => {
    if (was === is) return;
    for (const [name, { state }] of Object.entries(is)) {
      const from = was[name]?.state ?? null;
      if (state === null || state === from) continue;
      const place = { wave: record.spec.waves[wave]?.name ?? null, cluster };
      events.push({ kind: 'gate', ...common, ...place, phase: state, reason: name, from });
    }
  };
  for (const [wave, status] of after.waves.entries())
    compare(before?.waves[wave]?.gates ?? {}, status.gates, wave, null);
  const rows = changes.filter(({ before: row, after: next }) => row?.gates !== next.gates);
  for (const { before: row, after: next } of rows.sort((a, b) => byCodeUnit(a.after.cluster, b.after.cluster))) {
    compare(row?.gates ?? {}, next.gates, next.wave, next.cluster);
  }
  return events;
}

function classEvents(before: RolloutStatus | undefined, after: RolloutStatus, common: Common): EventFacts[] {
  if (before?.classes === after.classes) return [];
  return after.classes.flatMap(({ name, state }) => {
    const was = before?.classes.find((one) => one.name === name)?.state;
    if (was?.phase === state.phase && was.reason === state.reason) return [];
    return [
      {
        kind: 'class' as const,
        ...common,
        class: name,
        phase: state.phase,
        reason: state.reason,
        from: was?.phase ?? null,
      },
    ];
  });
}

function waveEvents(
  record: RolloutRecord,
  before: RolloutStatus | undefined,
  { status, tallies }: Pick<StepResult, 'status' | 'tallies'>,
  common: Common,
): EventFacts[] {
  return status.waves.flatMap(({ phase, reason }, at) => {
    const was = before?.waves[at];
    const tally = tallies[at];
    const wave = record.spec.waves[at];
    if (tally === undefined || wave === undefined || (was?.phase === phase && was.reason === reason)) return [];
    const limit = placesOf(wave.spec.maxConcurrent, tally.targets);
    const numbers = { inFlight: tally.inFlight, limit, counts: tally.counts };
    return [{ kind: 'wave' as const, ...common, wave: wave.name, phase, reason, from: was?.phase ?? null, ...numbers }];
  });
}

function rolloutEvents(
  from: RolloutStatus['phase'] | null,
  reasonBefore: string | undefined,
  { status, tallies }: Pick<StepResult, 'status' | 'tallies'>,
  common: Common,
): EventFacts[] {
  const { phase, reason } = status;
  if (from === phase && reasonBefore === reason) return [];
  const { counts } = sumOf(tallies);
  return [{ kind: 'rollout', ...common, phase, reason, from, counts }];
}
