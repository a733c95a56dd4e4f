import type { ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

/**
 * A client that acts with the rights of a group's service account: its own, and those of the groups that
 * every service account is in.
 */
export function tenantOf(client: KubeClient, account: Pick<ObjectRef, 'namespace' | 'name'> | undefined): KubeClient {
  if (account === undefined) return client;
  return client.actingAs({
    user: `system:serviceaccount:${account.namespace}:${account.name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`, 'system:authenticated'],
  });
}
