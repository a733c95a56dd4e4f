import { orderOf, waveOf } from '../../placement/waves.js';
import { addRollbackClass, settleClasses } from './classes.js';
import { applyDecision, type Decision, type DecisionEffects } from './decisions.js';
import { Draft } from './draft.js';
import type { Member, RolloutFacts } from './facts.js';
import { forgiveMissedQuestions } from './missed-questions.js';
import { isFinal } from './phases.js';
import { rebuiltRow } from './rebuilt-row.js';
import { chooseReturns, startReturns } from './returns.js';
import { mayOpenWaves, moveRollout, noteGone, noteStop } from './rollout-moves.js';
import type { RolloutStatus, RolloutView } from './rollout-state.js';
import { newRow, type RolloutRow } from './row.js';
import { movedByFacts, wakeOf } from './row-moves.js';
import { continueHops, type Order, startClusters } from './starts.js';
import type { WaveTally } from './tally.js';
import { askWaveGates, moveWaves, waveWakes } from './wave-moves.js';

/** The result of a step. Nothing has happened until the caller writes it. */
export type StepResult = Readonly<{
  status: RolloutStatus;
  rows: ReadonlyMap<string, RolloutRow>;
  tallies: readonly WaveTally[];
  decision: DecisionEffects | undefined;
  orders: readonly Order[];
  /** The time at which each examined row must be examined again by the clock alone. */
  rowWakes: ReadonlyMap<string, number | undefined>;
  /** The time at which the rollout itself must be examined again by the clock alone. */
  wakeAt: number | undefined;
}>;

/**
 * Computes one step of a rollout. It is a pure function of the rollout, the known facts of its clusters, one
 * decision, and the time. `clusters` are those that may have changed. A row, a wave and the rollout change at
 * most once.
 */
export function stepRollout(
  view: RolloutView,
  facts: RolloutFacts,
  decision: Decision | undefined,
  clusters: Iterable<string>,
  now: number,
): StepResult {
  const draft = new Draft(view, facts, now);
  const examined = new Set(clusters);
  forgiveMissedQuestions(examined, draft);
  noteGone(draft);
  const effects = decision === undefined ? undefined : applyDecision(decision, draft);
  for (const cluster of draft.changedRows.keys()) examined.add(cluster);
  const orders: Order[] = [];
  if (view.status.reason !== 'Queued') {
    settleClasses(examined, draft);
    for (const cluster of examined) examine(cluster, draft);
    const hasEnded = isFinal(draft.status.phase);
    if (!hasEnded) askWaveGates(draft);
    noteStop(draft);
    const statusBefore = draft.status;
    chooseReturns(examined, draft);
    addRollbackClass(draft);
    orders.push(...startReturns(examined, draft));
    orders.push(...continueHops(examined, draft));
    orders.push(...startClusters(examined, draft));
    // A rollout that has ended keeps its waves as they are.
    if (!hasEnded) moveWaves(draft, mayOpenWaves(draft));
    // A decision has moved the rollout already.
    if (statusBefore.phase === view.status.phase && statusBefore.reason === view.status.reason) moveRollout(draft);
  }
  return result(draft, examined, effects, orders);
}

function result(
  draft: Draft,
  examined: Iterable<string>,
  decision: DecisionEffects | undefined,
  orders: readonly Order[],
): StepResult {
  const rowWakes = new Map<string, number | undefined>();
  for (const cluster of new Set([...examined, ...draft.changedRows.keys()])) {
    const row = draft.row(cluster);
    rowWakes.set(cluster, row === undefined || row.phase === 'Removed' ? undefined : wakeOf(row, draft));
  }
  const { status, tallies, changedRows: rows } = draft;
  return { status, rows, tallies, decision, orders, rowWakes, wakeAt: rolloutWake(draft) };
}

/** Creates the row of a target cluster, or moves its existing row by the facts. */
function examine(cluster: string, draft: Draft): void {
  if (draft.settled.has(cluster)) return;
  const { facts } = draft;
  const row = draft.row(cluster);
  const member = facts.member(cluster);
  if (row === undefined) {
    if (member !== undefined && mayHaveRow(cluster, draft)) draft.move(rebuiltRow(joined(member, draft), draft));
    return;
  }
  // A rollout that has ended and is not the standing one stays unchanged, except for returns.
  if (facts.role === 'frozen' && row.phase !== 'RollingBack' && row.goBack === undefined) return;
  const placed = member === undefined ? row : identified(replaced(row, member, draft), member);
  const rebuilt = rebuiltRow(placed, draft);
  const moved = rebuilt === placed ? movedByFacts(placed, draft) : rebuilt;
  if (moved === row) return;
  const isSilent = moved.phase === row.phase && moved.reason === row.reason && moved.wave === row.wave;
  if (isSilent || moved === placed) draft.put(moved);
  else draft.move(moved);
}

/** True if a cluster joins, or its row was lost. A rollout that has ended gets back lost rows alone. */
function mayHaveRow(cluster: string, { facts }: Draft): boolean {
  if (!facts.isTarget(cluster)) return false;
  return facts.mayJoin(cluster) || (facts.isNewest && facts.keptAttempt(cluster) !== undefined);
}

function joined(member: Member, { spec }: Draft): RolloutRow {
  const order = orderOf(spec.uid, member.name);
  const row = newRow(member.name, order, waveOf(spec.waves, spec.cuts, member, order), member);
  return member.isReachable ? row : { ...row, reason: 'Offline' };
}

/** A cluster that has not started belongs to the wave of its labels. */
function replaced(row: RolloutRow, member: Member, { spec }: Draft): RolloutRow {
  if (row.placedAt === member.generation || row.keepsWave || row.phase !== 'Waiting') return row;
  return { ...row, placedAt: member.generation, wave: waveOf(spec.waves, spec.cuts, member, row.order) };
}

/** A cluster that answers for the first time is no other one than before. */
const identified = (row: RolloutRow, { identity }: Member): RolloutRow =>
  row.identity === undefined && identity !== undefined ? { ...row, identity } : row;

function rolloutWake(draft: Draft): number | undefined {
  const { status, now } = draft;
  const times = status.classes.flatMap(({ state }) => state.until ?? []);
  times.push(...status.breakGlass.map(({ until }) => until));
  if (status.finishedAt === undefined) {
    for (const index of status.waves.keys()) times.push(...waveWakes(index, draft));
  }
  const later = times.filter((time) => time > now && Number.isFinite(time));
  return later.length === 0 ? undefined : Math.min(...later);
}
