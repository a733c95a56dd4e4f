import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import type { LiveFleet, LiveRollout } from './live-fleet.js';
import { openDecisions } from './open-decisions.js';

/** True if a decision stops a rollout or takes all of it back. One for a part of it would let waves open. */
export const isStop = ({ spec: { action, wave, class: name, clusters = [] } }: FleetDecision): boolean =>
  action === 'Pause' ||
  action === 'Abort' ||
  (action === 'Rollback' && wave === undefined && name === undefined && clusters.length === 0);

/** True if a rollout starts nothing more, whatever its next steps are: it is aborted or goes back. */
export const startsNoMore = ({ record: { status } }: LiveRollout): boolean =>
  status.isAborting || status.phase === 'RollingBack';

/** True if a rollout is held, and neither stops nor goes back, and no decision demands that. */
export function restsWhileHeld(rollout: LiveRollout, { held, state }: LiveFleet): boolean {
  const { subject } = rollout.record.spec;
  if (held.holdOf(subject) === undefined) return false;
  if (!held.mayStop(subject)) return true;
  const { done, open } = openDecisions(rollout, state);
  return !startsNoMore(rollout) && ![...done.map(({ decision }) => decision), ...open].some(isStop);
}
