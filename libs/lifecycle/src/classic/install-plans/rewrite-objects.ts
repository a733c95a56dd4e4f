import type { RewriteDecision } from '#core/classic/install-plan/execution/step-install-plan';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

/**
 * Objects written at the same time: enough to hide the latency to the cluster, few enough
 * not to crowd out others.
 */
const AT_ONCE = 8;

/**
 * Writes every object of a kind back as it is, so that the API server stores it in its current storage
 * version. An object that was written after it was listed is stored so already, and a deleted one needs
 * nothing. Returns the number of objects. Throws any other refusal, naming the object. A second run ends the
 * same: the server finds an object that is stored already unchanged.
 */
export async function rewriteObjects(
  client: KubeClient,
  kind: RewriteDecision['rewrite'],
  signal: AbortSignal,
): Promise<number> {
  const found = await client.list(kind);
  const objects = found?.items ?? [];
  const waiting = objects.values();
  const writer = async () => {
    for (const object of waiting) {
      signal.throwIfAborted();
      await writeBack(client, { ...object, ...kind });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, writer));
  return objects.length;
}

async function writeBack(client: KubeClient, object: Parameters<KubeClient['update']>[0]): Promise<void> {
  try {
    await client.update(object);
  } catch (error) {
    if (!KubeApiError.is(error, 'Conflict', 'NotFound')) throw error;
  }
}
