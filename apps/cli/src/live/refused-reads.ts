import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { READ_REFUSED } from '#core/kernel/rbac/read-refused';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

/** The hub tries again, and so reports again, within five minutes. */
const CURRENT_MS = 10 * 60_000;

/**
 * What the API server said when it refused to the hub to read a namespace, as Events say. Empty if the user
 * may not list Events.
 */
export async function refusedReads(client: KubeClient, namespace: string, now: Date): Promise<readonly string[]> {
  // Events about objects without a namespace are in this one.
  const where = { namespace: 'default', fieldSelector: `involvedObject.name=${namespace},reason=${READ_REFUSED}` };
  try {
    const found = await client.list({ apiVersion: 'v1', kind: 'Event' }, where);
    return (found?.items ?? []).filter((event) => isCurrent(event, now)).map((event) => String(event['message']));
  } catch (error) {
    if (!KubeApiError.is(error, 'Forbidden')) throw error;
    return [];
  }
}

const isCurrent = (event: KubernetesObject, now: Date): boolean =>
  now.getTime() - Date.parse(String(event['lastTimestamp'])) < CURRENT_MS;
