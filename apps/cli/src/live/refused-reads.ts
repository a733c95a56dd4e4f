import type { Named } from '#core/fleet/diagnosis/diagnosis';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { READ_REFUSED } from '#core/kernel/rbac/read-refused';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

/** An answer of the API server that refused to the hub to read an object, or the objects of a namespace. */
export type RefusedRead = Readonly<{ about: Named; said: string }>;

/** The hub tries again, and so reports again, within five minutes. */
const CURRENT_MS = 10 * 60_000;

/** The reads that Events report as refused. Empty if the user may not list Events. */
export async function refusedReads(client: KubeClient, now: Date): Promise<readonly RefusedRead[]> {
  // Events about objects without a namespace are in this one.
  const where = { namespace: 'default', fieldSelector: `reason=${READ_REFUSED}` };
  try {
    const found = await client.list({ apiVersion: 'v1', kind: 'Event' }, where);
    return (found?.items ?? []).filter((event) => isCurrent(event, now)).map(refusedRead);
  } catch (error) {
    if (!KubeApiError.is(error, 'Forbidden')) throw error;
    return [];
  }
}

const isCurrent = (event: KubernetesObject, now: Date): boolean =>
  now.getTime() - Date.parse(String(event['lastTimestamp'])) < CURRENT_MS;

function refusedRead(event: KubernetesObject): RefusedRead {
  const { kind = '', name = '' } = Object(event['involvedObject']);
  return { about: { kind, name }, said: String(event['message']) };
}
