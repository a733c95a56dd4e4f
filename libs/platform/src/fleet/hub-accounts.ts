import type { HubAccount } from '#core/cluster/imports/import-role';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { fleetPlace, hubNamespace } from '../config/fleet-place.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';

/** ServiceAccounts of poller and applier in the namespace of a hub that runs in Kubernetes. */
export const SERVICE_ACCOUNTS = ['catalog-poller', 'applier'] as const;

/**
 * Returns the accounts by which the services reach the hub API: their ServiceAccounts, or the user of the
 * context that this process has.
 */
export async function hubAccounts(
  hub: KubeClient,
  settings: Readonly<{ fleet: string; systemNamespace: string }>,
): Promise<readonly HubAccount[]> {
  if (fleetPlace(settings.fleet)?.in === 'cluster') {
    const namespace = await hubNamespace(settings);
    return SERVICE_ACCOUNTS.map((name) => `${namespace}/${name}`);
  }
  const { object } = await hub.create<KubernetesObject>({
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} },
  });
  const { userInfo } = (object['status'] ?? {}) as Readonly<{ userInfo?: Readonly<{ username?: string }> }>;
  return [userInfo?.username ?? ''];
}
