import { thresholdOf } from '../../placement/waves.js';
import type { Draft } from './draft.js';
import type { WaitingReason } from './phases.js';
import type { RolloutRow } from './row.js';
import { askedGates } from './row-moves.js';

/**
 * True if the rollout as a whole starts nothing: it stops, rolls back, or has ended otherwise than Completed.
 */
export function isHalted({
  status,
  tallies,
  facts,
  spec,
}: Pick<Draft, 'status' | 'tallies' | 'facts' | 'spec'>): boolean {
  if (status.stop !== undefined || status.isAborting || status.isGoingBack) return true;
  if (status.phase === 'Halted' || status.phase === 'RollingBack') return true;
  if (status.isSuperseding && spec.strategy.supersede === 'Immediately') return true;
  if (status.phase !== 'Completed') return status.phase === 'RolledBack' || status.phase === 'Aborted';
  const isOver = spec.waves.some(({ spec: rules }, at) => {
    const tally = tallies[at];
    return tally !== undefined && tally.failures > thresholdOf(rules.failureThreshold, tally.targets);
  });
  return isOver || facts.role !== 'standing';
}

/**
 * Returns a waiting row with the first reason that applies, or `Budget` if only a place is missing. Gates
 * before the change are asked here: only they and the budget hold the cluster then.
 */
export function waitingRow(row: RolloutRow, draft: Draft, isStopped: boolean): RolloutRow {
  if (draft.facts.role === 'frozen') return row;
  const plan = draft.facts.plan(row.cluster);
  const planned = plan?.state === 'Planned' && plan.class !== row.class ? { ...row, class: plan.class } : row;
  const reason = reasonBeforeGates(planned, draft, isStopped);
  if (reason !== undefined) return withReason(planned, reason);
  if (plan?.isNotUpgradeable === true) return withReason(planned, 'GateBefore');
  const gates = draft.rules(row.wave).gates.filter(({ when, scope }) => when === 'Before' && scope === 'Cluster');
  const asked = gates.length === 0 ? planned : askedGates(planned, gates, draft);
  const isGreen = gates.every(({ name }) => asked.gates[name]?.state === 'Green');
  return withReason(asked, isGreen ? 'Budget' : 'GateBefore');
}

/**
 * True if the rollout or its subject is paused. A paused subject also holds members that joined after the
 * rollout's end.
 */
export const isHeldByPause = ({ status, facts }: Draft): boolean =>
  status.phase === 'Paused' || (status.phase === 'Completed' && facts.isSubjectPaused);

const withReason = (row: RolloutRow, reason: WaitingReason): RolloutRow =>
  row.reason === reason ? row : { ...row, reason };

function reasonBeforeGates(row: RolloutRow, draft: Draft, isStopped: boolean): WaitingReason | undefined {
  const { facts, status } = draft;
  if (facts.member(row.cluster)?.isReachable !== true) return 'Offline';
  const plan = facts.plan(row.cluster);
  if (plan?.state !== 'Planned' && plan?.state !== 'Failed')
    return plan?.isChanged === true ? 'PlanChanged' : 'Planning';
  const held = classHold(row, draft);
  if (held !== undefined) return held;
  if (isHeldByPause(draft)) return 'RolloutPaused';
  if (isStopped) return 'Halted';
  const wave = status.waves[row.wave]?.phase;
  const isProgressing = status.phase === 'Progressing' || status.phase === 'Completed';
  if (!isProgressing || (wave !== 'Open' && wave !== 'Soaking' && wave !== 'Complete')) return 'WaveNotOpen';
  if (facts.needsCatalog(row.cluster)) return 'WaitingCatalog';
  if (facts.hasOtherRollout(row.cluster)) return 'OtherRollout';
  if (facts.waitsForNeighbour(row.cluster)) return 'Neighbour';
  return facts.windowHold(row.cluster, true);
}

function classHold(row: RolloutRow, { status }: Draft): WaitingReason | undefined {
  switch (status.classes.find(({ name }) => name === row.class)?.state.phase) {
    case 'Rejected':
      return 'Rejected';
    case 'Denied':
      return 'Denied';
    case 'Waiting':
      return 'Approval';
    default:
      return undefined;
  }
}
