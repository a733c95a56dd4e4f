import { isFinal } from '#core/rollout/controller/step/phases';
import type { SubjectProblem } from '#core/rollout/placement/subject-problem';
import { withHold } from '#core/rollout/status/held-condition';
import type { StoredRolloutStatus } from '#core/rollout/status/rollout-status';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { LiveRollout } from '../state/live-fleet.js';
import { updateStatusOf } from './hub-objects.js';

/** Writes in the status of an active rollout the reason why it rests, or that it continues. */
export async function writeHold(
  hub: KubeClient,
  rollout: LiveRollout,
  hold: SubjectProblem | undefined,
  now: number,
): Promise<LiveRollout> {
  const { object, record } = rollout;
  const before = (object.status ?? {}) as StoredRolloutStatus;
  if (before.conditions === undefined || isFinal(record.status.phase)) return rollout;
  const conditions = withHold(before.conditions, { hold, at: new Date(now).toISOString() });
  if (conditions === before.conditions) return rollout;
  return { ...rollout, object: await updateStatusOf(hub, object, record, { ...before, conditions }) };
}
