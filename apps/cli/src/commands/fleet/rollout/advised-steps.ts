import { isRetriedAnew } from '#core/rollout/controller/step/decisions';
import { isFinal } from '#core/rollout/controller/step/phases';
import type { LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { NEXT } from '../../../output/next-commands.js';

/** A command that helps, and the facts to know before it is used. */
export type FleetStep = Readonly<{ command: string; note: string }>;

export const step = (command: string, note = ''): FleetStep => ({ command, note });

/** A rollout, and its name as commands take it. */
type Named = Readonly<{ rollout: LiveRollout; short: string }>;

/** True if the rollout is over for its clusters: it does not change them any more. */
const isLeft = ({ record: { status }, facts }: LiveRollout): boolean =>
  isFinal(status.phase) && (status.phase !== 'Completed' || facts.role === 'frozen');

/** True if a Retry recreates the rollout, and its target is still available. */
export const isMadeAnew = ({ record, facts }: LiveRollout): boolean =>
  isRetriedAnew(record.status, facts) && !facts.isTargetWithdrawn;

/** Returns the step that recreates the whole rollout, if it can be recreated. */
export function newRolloutSteps({ rollout, short }: Named): FleetStep[] {
  return isMadeAnew(rollout) ? [step(NEXT.retryRollout(short), 'a new rollout of the same target')] : [];
}

/** Returns the steps to retry a cluster, if it can be retried. */
export function retrySteps(named: Named, cluster: string, note: string): FleetStep[] {
  const { rollout, short } = named;
  if (isLeft(rollout)) return newRolloutSteps(named);
  // One that went back in part is left by a rollback, not by a retry.
  if (rollout.record.status.reason === 'RollbackIncomplete') return [];
  return [step(NEXT.retryCluster(short, cluster), note)];
}

/** Returns the step that leaves a failed cluster as it is, if its rollout continues. */
export const skipSteps = ({ rollout, short }: Named, cluster: string): FleetStep[] =>
  isLeft(rollout) ? [] : [step(NEXT.skipCluster(short, cluster), 'it does not change')];
