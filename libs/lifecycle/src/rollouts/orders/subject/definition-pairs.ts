import { CRD_KIND } from '#core/classic/install-plan/steps/install-plan-step';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { convertsByWebhook, crdGroup, crdKind } from '#core/kernel/crd/crd-versions';
import type { DefinitionPair } from '#core/rollout/desired/return-check';
import { readForReturn } from '#core/rollout/desired/return-check';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
/** Definitions among these objects, each as it is in the cluster and as it would be. */
export async function pairsOf(client: KubeClient, objects: readonly KubernetesObject[]): Promise<DefinitionPair[]> {
  const pairs: DefinitionPair[] = [];
  for (const earlier of objects.filter(({ kind }) => kind === CRD_KIND)) {
    const { apiVersion, kind, metadata } = earlier;
    const live = await client.get({ apiVersion, kind, name: metadata.name ?? '' });
    // The return recreates a definition that is gone.
    if (live !== undefined) pairs.push({ live, earlier, instances: await instancesOf(client, live, earlier) });
  }
  return pairs;
}

/** Returns all objects by version. Undefined if a webhook of the operator that must go does not answer. */
async function instancesOf(
  client: KubeClient,
  live: KubernetesObject,
  earlier: KubernetesObject,
): Promise<DefinitionPair['instances']> {
  const instances = new Map<string, readonly KubernetesObject[]>();
  try {
    for (const version of readForReturn(live, earlier)) {
      const list = await client.list({ apiVersion: `${crdGroup(live)}/${version}`, kind: crdKind(live) });
      instances.set(version, list?.items ?? []);
    }
    return instances;
  } catch (error) {
    if (error instanceof KubeApiError && convertsByWebhook(live)) return undefined;
    throw error;
  }
}
