import type { ObjectRef } from '#core/kernel/api/kubernetes-object';
import { readRefusedEvents } from '#core/kernel/rbac/read-refused';
import type { Clock } from '#platform/clock/clock.port';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { performActions } from '#platform/kube/write/perform-actions';
import type { PassOutcome } from './reconcile-loop.js';

/**
 * Emits an Event about the object of a pass, if the hub lacks the right to an object that the pass must read.
 */
export async function reportRefusedRead(
  outcome: PassOutcome,
  about: ObjectRef,
  { client, clock }: Readonly<{ client: KubeClient; clock: Clock }>,
): Promise<PassOutcome> {
  if (outcome.result !== 'refused') return outcome;
  await performActions(client, readRefusedEvents(about, outcome.error.said), clock.now());
  return outcome;
}
