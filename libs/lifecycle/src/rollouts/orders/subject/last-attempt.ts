import { lastAttemptOf } from '#core/cluster/marks/fleet-marks';
import type { AssignmentRow, LastAttempt } from '#core/kernel/api/fleet/fleet-assignment';
import type { ObjectMeta } from '#core/kernel/api/kubernetes-object';

/**
 * Reports the newest attempt that a cluster has kept, while its order names none. A hub that has lost the
 * FleetAssignment makes its row from that.
 */
export function lastAttempt(
  { attempt }: Pick<AssignmentRow, 'attempt'>,
  object: Readonly<{ metadata: ObjectMeta }> | undefined,
  isRunning: boolean,
): Readonly<{ last?: LastAttempt }> {
  const last = attempt > 0 || object === undefined ? undefined : lastAttemptOf(object, isRunning);
  return last === undefined ? {} : { last };
}
