import type { GateSpec } from '../../../kernel/api/fleet/fleet-strategy.js';
import { durationMs } from '../../placement/waves.js';
import type { Draft } from './draft.js';
import { dueAt, type GateProgress } from './gate-progress.js';
import type { RolloutRow } from './row.js';
import { soakUntil } from './wave-moves.js';

type Gates = readonly GateSpec[];
type Progress = Readonly<Record<string, GateProgress>>;

/**
 * Extends the deadlines of gates by the time during which a question was due and no controller asked it
 * (why: fleet-rollouts.md "Missed questions"). Nothing was missed while a controller attended to the rollout.
 */
export function forgiveMissedQuestions(clusters: Iterable<string>, draft: Draft): void {
  if (draft.view.attendedUntil >= draft.now) return;
  for (const cluster of clusters) {
    const row = draft.row(cluster);
    if (row !== undefined) draft.put(forgivenRow(row, draft));
  }
  for (const index of draft.spec.waves.keys()) forgiveWave(index, draft);
}

function forgivenRow(row: RolloutRow, draft: Draft): RolloutRow {
  // The deadline of an unreachable cluster pauses, and continues once the cluster answers.
  if (row.phase !== 'Verifying' || row.heldSince !== undefined || row.gatesSince === undefined) return row;
  const late = missed(after(row.wave, 'Cluster', draft), row.gates, row.gatesSince, draft);
  if (late === 0) return row;
  const deadlineAt = row.deadlineAt === undefined ? undefined : row.deadlineAt + late;
  const gates = dueNow(after(row.wave, 'Cluster', draft), row.gates, draft.now);
  return { ...row, gates, gatesSince: row.gatesSince + late, deadlineAt };
}

function forgiveWave(index: number, draft: Draft): void {
  const { phase, gates, gatesFrom } = draft.wave(index);
  if (phase !== 'Soaking') return;
  const from = Math.max(soakUntil(index, draft), gatesFrom ?? draft.now);
  // Before the end of the soak no time runs.
  const asked = after(index, 'Wave', draft);
  const late = Math.min(missed(asked, gates, gatesFrom ?? draft.now, draft), draft.now - from);
  if (late > 0) draft.setWave(index, { gates: dueNow(asked, gates, draft.now), gatesFrom: from + late });
}

/** Questions that were missed are due now, so that the same time is forgiven once. */
function dueNow(gates: Gates, progress: Progress, now: number): Progress {
  const moved = gates.flatMap(({ name, interval }) => {
    const asked = progress[name];
    const latest = now - durationMs(interval);
    return asked === undefined || asked.askedAt >= latest ? [] : [[name, { ...asked, askedAt: latest }] as const];
  });
  return moved.length === 0 ? progress : { ...progress, ...Object.fromEntries(moved) };
}

const after = (wave: number, scope: GateSpec['scope'], draft: Draft): Gates =>
  draft.rules(wave).gates.filter((gate) => gate.when === 'After' && gate.scope === scope);

/** Returns for how many milliseconds a question was due and not asked. The first is due since `since`. */
function missed(gates: Gates, progress: Progress, since: number, { view, now }: Draft): number {
  const due = gates.flatMap(({ name, interval }) => {
    const asked = progress[name];
    if (asked?.state === 'Green' || asked?.state === 'Red') return [];
    return [asked === undefined ? since : dueAt(asked, interval)];
  });
  return due.length === 0 ? 0 : Math.max(0, now - Math.max(Math.min(...due), view.attendedUntil));
}
