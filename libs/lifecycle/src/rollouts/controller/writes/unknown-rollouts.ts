import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import type { LiveFleet } from '../state/live-fleet.js';

/** Longest time until a rollout that another controller has created is seen after its decision. */
const SEEN_WITHIN_MS = 60_000;

/**
 * Writes the outcome UnknownRollout of decisions about a rollout that does not exist, a minute after they
 * were made. A later rollout of that name is another one. Returns the time at which the next is due, in
 * milliseconds since 1970.
 */
export async function concludeUnknown(hub: KubeClient, fleet: LiveFleet, log: Log): Promise<number> {
  const names = new Set(fleet.rollouts.map(({ record }) => record.spec.name));
  let next = Number.POSITIVE_INFINITY;
  for (const decision of fleet.state.decisions) {
    const { metadata, spec } = decision;
    const isOpen = (decision.status as Readonly<{ at?: string }> | undefined)?.at === undefined;
    if (!isOpen || names.has(`${metadata.namespace}/${spec.rollout}`)) continue;
    const { creationTimestamp = '' } = metadata as Readonly<{ creationTimestamp?: string }>;
    const dueAt = Date.parse(creationTimestamp) + SEEN_WITHIN_MS;
    if (dueAt > fleet.now) {
      next = Math.min(next, dueAt);
      continue;
    }
    const status = { effective: false, reason: 'UnknownRollout', at: new Date(fleet.now).toISOString() };
    const { rollout, action, by } = spec;
    try {
      await hub.updateStatus({ ...decision, status });
      log.warn({ rollout, action, by: by.user, ...status }, 'found a decision about a rollout that does not exist');
    } catch (error) {
      if (!(error instanceof KubeApiError)) throw error;
      // One decision that is refused must not hold up the pass for all others.
      log.warn({ rollout, error }, 'could not write the outcome of a decision; retrying in a minute');
      next = Math.min(next, fleet.now + SEEN_WITHIN_MS);
    }
  }
  return next;
}
