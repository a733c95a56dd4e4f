import type { Named } from '#core/cluster/diagnosis/diagnosis';
import type { HubEvent } from '#core/cluster/diagnosis/hindered-hub';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { clipMessage } from '#core/kernel/conditions/clip-message';
import { asList, asRecord, asText } from '#core/kernel/crd/loose-value';
import { isRefusedRead, READ_REFUSED } from '#core/kernel/rbac/read-refused';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

/** An Event that says that the hub may not read an object, or the objects of a namespace. */
export type RefusedRead = HubEvent & Readonly<{ about: Named }>;

/** The hub tries again, and so reports again, within five minutes. */
const CURRENT_MS = 10 * 60_000;
const LONGEST = 400;

/** The reads that Events report as refused. Empty if the user may not list Events. */
export async function refusedReads(client: KubeClient, now: Date): Promise<readonly RefusedRead[]> {
  // Events about objects without a namespace are in this one.
  const where = { namespace: 'default', fieldSelector: `reason=${READ_REFUSED}` };
  try {
    const found = await client.list(KIND.Event, where);
    const current = (found?.items ?? []).filter((event) => isCurrent(event, now)).map(refusedRead);
    return current.filter(({ said }) => isRefusedRead(said));
  } catch (error) {
    if (!KubeApiError.is(error, 'Forbidden')) throw error;
    return [];
  }
}

/** An Event of the future would be shown for longer. */
function isCurrent(event: KubernetesObject, now: Date): boolean {
  const age = now.getTime() - Date.parse(asText(event['lastTimestamp']));
  return Math.abs(age) < CURRENT_MS;
}

function refusedRead(event: KubernetesObject): RefusedRead {
  const { kind, name } = asRecord(event['involvedObject']);
  const [manager] = asList(event.metadata['managedFields']).map((entry) => asText(asRecord(entry)['manager']));
  return {
    about: { kind: asText(kind), name: asText(name) },
    name: event.metadata.name ?? '',
    writer: clipMessage(manager || asText(asRecord(event['source'])['component']), LONGEST),
    said: clipMessage(asText(event['message']), LONGEST),
  };
}
