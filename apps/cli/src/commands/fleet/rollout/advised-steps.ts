import { isRetriedAnew } from '#core/rollout/controller/step/decisions';
import { isFinal } from '#core/rollout/controller/step/phases';
import type { LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { NEXT } from '../../../output/next-commands.js';

/** A command that helps, and what must be known before it is given. */
export type FleetStep = Readonly<{ command: string; note: string }>;

export const step = (command: string, note = ''): FleetStep => ({ command, note });

/** A roll-out, and its name as commands take it. */
type Named = Readonly<{ rollout: LiveRollout; short: string }>;

/** Whether it is over for its clusters: they are not changed by it any more. */
const isLeft = ({ record: { status }, facts }: LiveRollout): boolean =>
  isFinal(status.phase) && (status.phase !== 'Completed' || facts.role === 'frozen');

/** Whether a Retry makes a new roll-out of it, whose target is still to be had. */
export const isMadeAnew = ({ record, facts }: LiveRollout): boolean =>
  isRetriedAnew(record.status, facts) && !facts.isTargetWithdrawn;

/** One that can be is made anew as a whole. */
export function newRolloutSteps({ rollout, short }: Named): FleetStep[] {
  return isMadeAnew(rollout) ? [step(NEXT.retryRollout(short), 'a new roll-out of the same target')] : [];
}

/** How a cluster is tried again, where it can be. */
export function retrySteps(named: Named, cluster: string, note: string): FleetStep[] {
  const { rollout, short } = named;
  if (isLeft(rollout)) return newRolloutSteps(named);
  // One that went back in part is left by a rollback, not by a retry.
  if (rollout.record.status.reason === 'RollbackIncomplete') return [];
  return [step(NEXT.retryCluster(short, cluster), note)];
}

/** How a failed cluster is left as it is, where its roll-out goes on. */
export const skipSteps = ({ rollout, short }: Named, cluster: string): FleetStep[] =>
  isLeft(rollout) ? [] : [step(NEXT.skipCluster(short, cluster), 'it stays as it is')];
