import { durationMs, placesOf } from '../../placement/waves.js';
import type { Draft } from './draft.js';
import { isBetweenHops, isReturnDue, type RolloutRow } from './row.js';
import { isHalted, isHeldByPause, waitingRow } from './waiting.js';

/** Clusters that one step starts at most: the ledger of a step names them. */
const MOST_STARTS = 100;

/** An order for an applier to carry out now. */
export type Order = Readonly<{ kind: 'Go' | 'Hop' | 'Return'; cluster: string; attempt: number; hop: number }>;

/** Settles clusters between two hops: each continues, is kept with its reason, or ends with the rollout. */
export function continueHops(clusters: Iterable<string>, draft: Draft): Order[] {
  const orders: Order[] = [];
  for (const cluster of clusters) {
    const row = draft.row(cluster);
    // A row that was settled by a decision or has just been reached again waits for the next step.
    if (row === undefined || draft.settled.has(cluster)) continue;
    if (!isBetweenHops(row) || row.reason === 'Unreachable') continue;
    if (isReturnDue(row)) {
      if (row.heldSince === undefined) draft.put({ ...row, heldSince: draft.now });
      continue;
    }
    const reason = keptReason(row, draft);
    if (reason === undefined) {
      draft.move(nextHop(row, draft.now));
      orders.push({ kind: 'Hop', cluster, attempt: row.attempt, hop: row.hop + 1 });
    } else keep(row, reason, draft);
  }
  return orders;
}

function keep(row: RolloutRow, reason: string, draft: Draft): void {
  if (reason === 'ByDecision' || reason === 'Superseded') {
    draft.move({ ...row, phase: 'Skipped', reason });
    return;
  }
  const kept = { ...row, reason, heldSince: row.heldSince ?? draft.now };
  // A row that stays as it is is not written again.
  if (row.reason !== reason) draft.move(kept);
  else if (row.heldSince === undefined) draft.put(kept);
}

function nextHop(row: RolloutRow, now: number): RolloutRow {
  const held = row.heldSince === undefined ? 0 : now - row.heldSince;
  const deadlineAt = row.deadlineAt === undefined ? undefined : row.deadlineAt + held;
  return { ...row, reason: 'Hop', hop: row.hop + 1, isRunning: true, heldSince: undefined, deadlineAt };
}

function keptReason(row: RolloutRow, draft: Draft): string | undefined {
  const { facts, status } = draft;
  if (status.isAborting || status.phase === 'Aborted') return 'ByDecision';
  if (status.phase === 'Superseded') return 'Superseded';
  if (facts.member(row.cluster)?.isPaused === true) return 'ClusterPaused';
  if (isHeldByPause(draft)) return 'RolloutPaused';
  const isStopped = status.stop !== undefined || status.isGoingBack;
  if (isStopped || status.phase === 'Halted' || status.phase === 'RollingBack') return 'Halted';
  return facts.windowHold(row.cluster, false) === undefined ? undefined : 'WindowClosed';
}

/** Gives each waiting cluster its reason. Starts those that only wait for a place, while there are places. */
export function startClusters(clusters: Iterable<string>, draft: Draft): Order[] {
  const isStopped = isHalted(draft);
  const ready = new Map<number, RolloutRow[]>();
  const of = (wave: number): RolloutRow[] => {
    const rows = ready.get(wave) ?? [];
    ready.set(wave, rows);
    return rows;
  };
  const examine = (cluster: string): void => {
    const row = draft.row(cluster);
    if (row === undefined || row.phase !== 'Waiting') return;
    if (draft.settled.has(cluster)) {
      // One that waits again has its reason at once, and starts in a later step. From Applying it waits since
      // its plan has changed.
      const before = draft.view.rows.get(cluster)?.phase;
      if (before !== undefined && before !== 'Waiting' && before !== 'Applying')
        draft.put(waitingRow(row, draft, isStopped));
      return;
    }
    const next = waitingRow(row, draft, isStopped);
    if (next.reason === 'Budget') of(next.wave).push(next);
    put(row, next, draft);
  };
  for (const cluster of clusters) examine(cluster);
  for (const cluster of haltedAnew(isStopped, clusters, draft)) examine(cluster);
  const orders: Order[] = [];
  for (const index of draft.spec.waves.keys()) {
    const places = Math.min(freePlaces(index, draft), MOST_STARTS - orders.length);
    if (places <= 0 || isStopped) continue;
    const queue = inOrder(ready.get(index) ?? [], draft.view.forBudget(index), draft);
    orders.push(...startFrom(queue, places, draft));
  }
  return orders;
}

/**
 * Returns the other waiting clusters if failures of this step halt a Completed rollout, or no longer do. Its
 * status does not show that.
 */
function haltedAnew(isStopped: boolean, clusters: Iterable<string>, draft: Draft): readonly string[] {
  const { status, tallies, spec } = draft.view;
  if (status.phase !== 'Completed' || draft.status.phase !== 'Completed') return [];
  if (isHalted({ status, tallies, spec, facts: draft.facts }) === isStopped) return [];
  const examined = new Set(clusters);
  return [...draft.allRows()]
    .filter(({ phase, cluster }) => phase === 'Waiting' && !examined.has(cluster))
    .map(({ cluster }) => cluster);
}

function put(before: RolloutRow, after: RolloutRow, draft: Draft): void {
  if (before.reason !== after.reason) draft.move(after);
  else draft.put(after);
}

function startFrom(queue: Iterable<string>, places: number, draft: Draft): Order[] {
  const orders: Order[] = [];
  for (const cluster of queue) {
    const row = draft.row(cluster);
    if (row?.phase !== 'Waiting') continue;
    // A cluster that was not examined in this step may now be held.
    const current = draft.settled.has(cluster) ? row : waitingRow(row, draft, false);
    if (current.reason !== 'Budget') put(row, current, draft);
    else {
      const started = startedRow(current, draft);
      draft.move(started);
      orders.push({ kind: 'Go', cluster, attempt: started.attempt, hop: started.hop });
    }
    if (orders.length >= places) break;
  }
  return orders;
}

const freePlaces = (wave: number, draft: Draft): number => {
  const tally = draft.tally(wave);
  return placesOf(draft.rules(wave).maxConcurrent, tally.targets) - tally.inFlight;
};

/** Merges rows that have become ready with those that waited for a place before, both in their order. */
function* inOrder(ready: readonly RolloutRow[], waiting: Iterable<string>, draft: Draft): Iterable<string> {
  const sorted = ready.toSorted((a, b) => (a.order < b.order ? -1 : 1));
  let next = 0;
  for (const cluster of waiting) {
    const order = draft.view.rows.get(cluster)?.order ?? '';
    for (let row = sorted[next]; row !== undefined && row.order <= order; row = sorted[++next]) yield row.cluster;
    yield cluster;
  }
  for (const { cluster } of sorted.slice(next)) yield cluster;
}

function startedRow(row: RolloutRow, draft: Draft): RolloutRow {
  const plan = draft.facts.plan(row.cluster);
  const attempt = row.attempt + 1;
  return {
    ...row,
    phase: 'Applying',
    reason: attempt === 1 ? 'Started' : 'Retry',
    message: '',
    attempt,
    hop: Math.min((plan?.hopsDone ?? 0) + 1, plan?.hops ?? 1),
    keepsWave: true,
    isRunning: true,
    deadlineAt: draft.now + durationMs(draft.rules(row.wave).progressDeadline),
    heldSince: undefined,
    doneAt: undefined,
    // Gates that come before the change keep their answers: one that came in this step is in the log, too.
    gatesSince: undefined,
  };
}
