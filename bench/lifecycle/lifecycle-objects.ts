import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

export const namespace = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});

export const catalogSource = (place: string, image: string): KubernetesObject => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name: 'lifecycle', namespace: place },
  spec: { sourceType: 'grpc', image },
});

export const subscription = (
  place: string,
  packageName: string,
  sourceNamespace: string,
  name = 'wish',
): KubernetesObject => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name, namespace: place },
  spec: { name: packageName, channel: 'stable', source: 'lifecycle', sourceNamespace },
});

export const operatorGroup = (place: string): KubernetesObject => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  metadata: { name: 'own', namespace: place },
  spec: { targetNamespaces: [place] },
});

/** Creates an object with patience: a new kind is served a moment after its definition was created. */
export async function createPatiently(client: KubeClient, object: KubernetesObject): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.create(object);
      return;
    } catch (error) {
      if (!KubeApiError.is(error, 'NotFound') || tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
