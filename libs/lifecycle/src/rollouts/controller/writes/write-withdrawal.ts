import { isRetriedAnew } from '#core/rollout/controller/step/decisions';
import { isFinal } from '#core/rollout/controller/step/phases';
import type { StoredRolloutStatus } from '#core/rollout/status/rollout-status';
import { withWithdrawal } from '#core/rollout/status/withdrawn-condition';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { LiveRollout } from '../state/live-fleet.js';
import { updateStatusOf } from './hub-objects.js';

/**
 * Reports in the status of a rollout that its target was withdrawn, or that clusters are led to it again.
 * Skips rollouts that are about to be superseded. A finished rollout keeps its condition unless a Retry would
 * recreate it.
 */
export async function writeWithdrawal(hub: KubeClient, rollout: LiveRollout, now: number): Promise<LiveRollout> {
  const { object, record, facts } = rollout;
  const before = (object.status ?? {}) as StoredRolloutStatus;
  const mayChange = !isFinal(record.status.phase) || isRetriedAnew(record.status, facts);
  if (before.conditions === undefined || !mayChange) return rollout;
  const isWithdrawn = facts.isTargetWithdrawn && !facts.hasQueued;
  const known = { target: record.spec.target, isWithdrawn, at: new Date(now).toISOString() };
  const conditions = withWithdrawal(before.conditions, known);
  if (conditions === before.conditions) return rollout;
  return { ...rollout, object: await updateStatusOf(hub, object, record, { ...before, conditions }) };
}
