import { durationMs, placesOf, thresholdOf } from '../../placement/waves.js';
import { deniesReturns } from '../../review/class-approval.js';
import type { Draft } from './draft.js';
import type { Member } from './facts.js';
import { type GoBack, isBetweenHops, isChanged, isReturnDue, type RolloutRow } from './row.js';
import { failed, returnFailed } from './row-moves.js';
import type { Order } from './starts.js';

/** The plan class of every return. */
export const ROLLBACK_CLASS = 'rollback';

/** Marks a cluster to go back, once, unless it could not before. */
export function chosenToReturn(row: RolloutRow, goBack: GoBack): RolloutRow {
  const isFailure = row.isFailure && goBack.reason !== 'Decision';
  return { ...row, goBack, isFailure };
}

/**
 * Chooses clusters for a return: those of waves that roll back, and failed ones that roll back by themselves.
 * If a rule denies Rollback, they stay unchanged, and the rollback ends without a return (why:
 * fleet-returns.md "A rule that denies Rollback").
 */
export function chooseReturns(clusters: Iterable<string>, draft: Draft): void {
  const denied = deniesReturns(draft.spec.strategy.approval) ? { blocked: 'Denied' } : {};
  for (const cluster of clusters) {
    const row = draft.row(cluster);
    const goBack = row?.goBack === undefined ? dueReturn(row, draft) : undefined;
    if (row !== undefined && goBack !== undefined) draft.put(chosenToReturn(row, { ...goBack, ...denied }));
  }
}

/**
 * Returns the reason why a cluster at rest must roll back without a decision about it. Returns
 * undefined if it must not.
 */
function dueReturn(row: RolloutRow | undefined, draft: Draft): GoBack | undefined {
  if (row === undefined || !isAtRest(row)) return undefined;
  const wave = draft.wave(row.wave);
  if (wave.phase === 'RollingBack') {
    const reason = wave.reason === 'Decision' ? 'Decision' : 'OnFailure';
    return { reason, denies: 'Operator', honoursWindows: row.phase === 'Done' };
  }
  const goesByItself = row.phase === 'Failed' && draft.spec.strategy.onClusterFailure === 'RollBack';
  if (!goesByItself || !isWithin(row, draft)) return undefined;
  if (draft.view.rows.get(row.cluster)?.phase === 'Failed') return undefined;
  return { reason: 'ClusterFailure', denies: 'Cluster', honoursWindows: false };
}

/** True if the rollout has changed the cluster and nothing of it runs there. */
const isAtRest = (row: RolloutRow): boolean =>
  isChanged(row) && (row.phase === 'Done' || row.phase === 'Failed' || isBetweenHops(row));

const isWithin = (row: RolloutRow, draft: Draft): boolean => {
  const tally = draft.tally(row.wave);
  return tally.failures <= thresholdOf(draft.rules(row.wave).failureThreshold, tally.targets);
};

/** True if a cluster waits for its return. */
const isWaitingToReturn = (row: RolloutRow | undefined): row is RolloutRow =>
  row !== undefined && isReturnDue(row) && isAtRest(row);

/** Starts returns while there are places, and ends those that are not possible. */
export function startReturns(clusters: Iterable<string>, draft: Draft): Order[] {
  if (draft.sum.returnsDue === 0) return [];
  for (const cluster of clusters) {
    const row = draft.row(cluster);
    if (isWaitingToReturn(row) && !hasMoved(row, draft)) endIfImpossible(row, draft);
  }
  const { chosen, rollingBack } = draft.sum;
  let places = placesOf(draft.spec.strategy.rollbackConcurrency, Math.max(chosen, 1)) - rollingBack;
  const orders: Order[] = [];
  for (const cluster of inTurn(clusters, draft)) {
    if (places <= 0) break;
    const row = draft.row(cluster);
    if (!isWaitingToReturn(row) || hasMoved(row, draft) || !mayReturn(row, draft)) continue;
    const reason = row.goBack?.reason ?? 'Decision';
    draft.move({ ...row, phase: 'RollingBack', reason, isRunning: false, deadlineAt: undefined, heldSince: undefined });
    orders.push({ kind: 'Return', cluster, attempt: row.attempt, hop: row.hop });
    places--;
  }
  return orders;
}

function* inTurn(clusters: Iterable<string>, draft: Draft): Iterable<string> {
  const sorted = [...clusters]
    .map((cluster) => draft.row(cluster))
    .filter(isWaitingToReturn)
    .sort((a, b) => a.wave - b.wave || (a.order < b.order ? -1 : 1));
  for (const { cluster } of sorted) yield cluster;
  yield* draft.view.forReturn();
}

/** True if the step has moved the row already. The row rolls back in the next step. */
const hasMoved = (row: RolloutRow, draft: Draft): boolean => draft.settled.has(row.cluster);

function endIfImpossible(row: RolloutRow, draft: Draft): void {
  const blocked = draft.facts.returnCheck(row.cluster);
  const member = draft.facts.member(row.cluster);
  if (blocked !== undefined && row.goBack !== undefined) {
    const goBack = { ...row.goBack, blocked };
    draft.move({ ...failed(row, 'RollbackBlocked', blocked), goBack });
  } else if (member !== undefined && isOutOfReach(member, row, draft)) draft.move(returnFailed(row));
}

function isOutOfReach(member: Member, row: RolloutRow, draft: Draft): boolean {
  const grace = durationMs(draft.rules(row.wave).offlineGrace);
  if (!member.isReachable) return draft.now >= member.lastContact + grace;
  return member.isPaused && draft.now >= member.pausedAt + grace;
}

function mayReturn(row: RolloutRow, { facts, status }: Draft): boolean {
  const member = facts.member(row.cluster);
  if (member === undefined || !member.isReachable || member.isPaused) return false;
  if (facts.hasOtherRollout(row.cluster)) return false;
  const approval = status.classes.find(({ name }) => name === ROLLBACK_CLASS)?.state.phase;
  if (approval !== undefined && approval !== 'NotNeeded' && approval !== 'Approved') return false;
  const honoursWindows = row.goBack?.honoursWindows === true && row.phase === 'Done';
  return !honoursWindows || !facts.isDeniedByWindow(row.cluster);
}
