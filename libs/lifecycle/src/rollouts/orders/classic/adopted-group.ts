import { FLEET } from '#core/kernel/actions/field-managers';
import { CHANGES } from '#core/kernel/api/fleet/fleet-strategy';
import { OPERATOR_GROUP_API, OperatorGroup } from '#core/kernel/api/operator-group';
import type { DesiredClassic } from '#core/rollout/desired/desired-classic';
import { adoptedGroup, ISOLATION_FIELD, isIsolated, isolationOf } from '#core/rollout/desired/desired-group';
import type { SubscriptionChanges } from '#core/rollout/desired/subscription-changes';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { OrderCluster } from '../place/order-place.js';

/** Every OperatorGroup of a namespace. */
async function groupsIn(client: KubeClient, namespace: string): Promise<OperatorGroup[]> {
  const list = await client.list(OPERATOR_GROUP_API, { namespace });
  return (list?.items ?? []).flatMap((item) => OperatorGroup.safeParse({ ...item, ...OPERATOR_GROUP_API }).data ?? []);
}

/**
 * Returns the changes for adopting a group in addition to its Subscription. With isolation the namespace is
 * resolved again, since a plan that waits may move neighbours.
 */
export async function withGroupChange(
  client: KubeClient,
  changes: SubscriptionChanges,
  { operator, adoptsGroup }: DesiredClassic,
): Promise<SubscriptionChanges> {
  if (!adoptsGroup) return changes;
  const groups = await groupsIn(client, operator.spec.namespace);
  const [group] = groups;
  // The preview of the plan finds the reason why a group cannot be adopted.
  if (typeof adoptedGroup(groups, operator) === 'string') return { ...changes, isResolvedAnew: true };
  if (group === undefined || isIsolated(group)) return changes;
  return {
    kinds: CHANGES.filter((kind) => changes.kinds.includes(kind) || kind === 'ConfigChange'),
    isResolvedAnew: true,
    lines: [...changes.lines, `OperatorGroup ${group.metadata.name} ${ISOLATION_FIELD}: none → "true"`],
  };
}

/**
 * Adds isolation to the group that a FleetOperator adopts. Returns false if that is not allowed, or not any
 * more.
 */
export async function adoptGroup(
  { client, notes }: Pick<OrderCluster, 'client' | 'notes'>,
  { operator, adoptsGroup }: DesiredClassic,
): Promise<boolean> {
  if (!adoptsGroup) return true;
  const groups = await groupsIn(client, operator.spec.namespace);
  const [group] = groups;
  if (group === undefined || typeof adoptedGroup(groups, operator) === 'string') return false;
  if (!isIsolated(group)) await client.apply(notes.noted(client.cluster, isolationOf(group)), { fieldManager: FLEET });
  return true;
}
