import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

const SERVED_WITHIN_MS = 10_000;
const POLL_EVERY_MS = 100;

/**
 * Creates an object if it does not exist. Waits for its kind if the kind was defined just now and is served a
 * moment later.
 */
export async function createIgnoringExisting(client: KubeClient, object: KubernetesObject): Promise<void> {
  const deadline = performance.now() + SERVED_WITHIN_MS;
  for (;;) {
    try {
      await client.create(object);
      return;
    } catch (error) {
      if (KubeApiError.is(error, 'AlreadyExists')) return;
      if (!KubeApiError.is(error, 'NotFound') || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
    }
  }
}
