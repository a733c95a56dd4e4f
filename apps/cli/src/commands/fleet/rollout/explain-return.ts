import { counted } from '#core/kernel/text/counted';
import { ROLLBACK_CLASS } from '#core/rollout/controller/step/returns';
import { isReturnDue, type RolloutRow } from '#core/rollout/controller/step/row';
import { approvalDemands } from '#core/rollout/review/class-approval';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { NEXT } from '../../../output/next-commands.js';
import { type FleetStep, step } from './advised-steps.js';
import { demandText, openDemands } from './approval-text.js';

/** The input for the explanation of returns. `short` is the rollout's name as commands take it. */
type ReturnPlace = Readonly<{ fleet: LiveFleet; rollout: LiveRollout; short: string }>;
type Returning = Readonly<{ sentence: string; chain: readonly string[]; todo: readonly FleetStep[] }>;

const classOfReturns = ({ record }: LiveRollout) => record.status.classes.find(({ name }) => name === ROLLBACK_CLASS);

/** True if a rule of the strategy denies returns of clusters of this rollout. */
export const hasDeniedReturns = (rollout: LiveRollout): boolean => classOfReturns(rollout)?.state.phase === 'Denied';

/**
 * Explains the wait of a cluster that must go back. Returns undefined if it need not, or goes back already.
 */
export function explainReturn(place: ReturnPlace, row: RolloutRow): Returning | undefined {
  if (row.goBack?.blocked === 'Denied') {
    const isIncomplete = place.rollout.record.status.reason === 'RollbackIncomplete';
    const sentence = 'is not rolled back: a rule of the strategy denies Rollback (Denied)';
    return { sentence, chain: [], todo: isIncomplete ? deniedSteps(place.short) : [] };
  }
  if (!isReturnDue(row)) return undefined;
  const member = place.fleet.clusters.get(row.cluster);
  const silent = member?.isReachable === false ? ['it is unreachable now'] : [];
  const paused = member?.isPaused === true ? ['the cluster is paused'] : [];
  const { chain, todo } = approvalOfReturns(place);
  return { sentence: 'will be rolled back to its previous version', chain: [...chain, ...silent, ...paused], todo };
}

/** Explains the wait of a rollout that goes back as a whole. */
export function explainReturns(place: ReturnPlace): Returning {
  const rows = [...place.rollout.record.rows.values()];
  const { reason } = place.rollout.record.status;
  const goingBack = rows.filter(({ phase }) => phase === 'RollingBack').length;
  const due = rows.filter(isReturnDue).length;
  const sentence = `is being rolled back (${reason}): ${goingBack} in progress, ${counted(due, 'cluster')} waiting`;
  return { sentence, ...approvalOfReturns(place) };
}

/** The approval that returns still need. */
function approvalOfReturns({ fleet, rollout, short }: ReturnPlace): Pick<Returning, 'chain' | 'todo'> {
  const found = classOfReturns(rollout);
  if (found?.state.phase !== 'Waiting' && found?.state.phase !== 'Rejected') return { chain: [], todo: [] };
  const rules = rollout.record.spec.strategy.approval;
  const open = openDemands(approvalDemands(found.changes, rules, found.votes, fleet.now));
  const groups = [...new Set(open.flatMap((one) => one.groups))];
  const chain =
    found.state.phase === 'Rejected'
      ? [`class ${ROLLBACK_CLASS} was rejected`]
      : open.map((one) => `class ${ROLLBACK_CLASS} needs ${demandText(one)}`);
  const needs = groups.length === 0 ? '' : `needs group ${groups.join(' or ')}`;
  return { chain, todo: [step(NEXT.approveClass(short, ROLLBACK_CLASS), needs)] };
}

/**
 * Returns the steps that help if a rule denies returns. Neither a rollback nor a retry of the rollout helps.
 */
export const deniedSteps = (short: string): FleetStep[] => [
  step(NEXT.abortRollout(short), 'clusters do not change; a retry of the rollout then begins the target again'),
];
