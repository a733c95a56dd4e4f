import type { OlmMemory } from '#core/cluster/assessment/assessment';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { asList, asRecord } from '#core/kernel/crd/loose-value';
import { quantityNumber } from '#core/kernel/go-types/quantity';
import { type KindRef, KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { catalogServers, POD, packageServers, podsOf } from '../clusters/handover/olm-in-cluster.js';

const POD_METRICS: KindRef = { apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics' };

/**
 * Returns the memory of OLM's pods: those of its Deployments, of its package server and of catalogs. The
 * metrics API gives it if the cluster serves it, otherwise the pods' requests. Returns null if there are no
 * pods, or neither source has it.
 */
export async function olmMemory(
  client: KubeClient,
  deployments: readonly KubernetesObject[],
): Promise<OlmMemory | null> {
  const servers = await packageServers(client, deployments);
  const packageServerDeployments = servers.map(({ metadata: { namespace = '', name = '' } }) =>
    client.get({ ...KIND.Deployment, namespace, name }),
  );
  const found = (await Promise.all(packageServerDeployments)).filter((one) => one !== undefined);
  const own = (await Promise.all([...deployments, ...found].map((one) => podsOf(client, one)))).flat();
  const ofCatalogs = (await catalogServers(client)).filter(({ kind }) => kind === POD.kind);
  const pods = [...new Map([...own, ...ofCatalogs].map((pod) => [placeOf(pod), pod])).values()];
  if (pods.length === 0) return null;
  const used = await usedBytes(client, pods);
  const bytes = used ?? pods.reduce((sum, pod) => sum + requestedBytes(pod), 0);
  if (bytes === 0) return null;
  return { pods: pods.length, bytes, measured: used !== undefined, catalogPods: ofCatalogs.length };
}

const placeOf = ({ metadata: { namespace = '', name = '' } }: KubernetesObject): string => `${namespace}/${name}`;

/** Returns undefined if the metrics API is not served, may not be read, or knows none of the pods. */
async function usedBytes(client: KubeClient, pods: readonly KubernetesObject[]): Promise<number | undefined> {
  if (!(await client.serves(POD_METRICS))) return undefined;
  const namespaces = [...new Set(pods.map(({ metadata }) => metadata.namespace ?? ''))];
  try {
    const lists = await Promise.all(namespaces.map((namespace) => client.list(POD_METRICS, { namespace })));
    const wanted = new Set(pods.map(placeOf));
    const known = lists.flatMap((list) => list?.items ?? []).filter((one) => wanted.has(placeOf(one)));
    if (known.length === 0) return undefined;
    return known.reduce((sum, one) => sum + memoryOf(asList(one['containers']), 'usage'), 0);
  } catch (error) {
    if (error instanceof KubeApiError) return undefined;
    throw error;
  }
}

const requestedBytes = (pod: KubernetesObject): number =>
  asList(asRecord(pod['spec'])['containers']).reduce<number>(
    (sum, container) => sum + memoryOf([asRecord(container)['resources']], 'requests'),
    0,
  );

const memoryOf = (parts: readonly unknown[], field: string): number =>
  parts.reduce<number>((sum, part) => sum + (quantityNumber(asRecord(asRecord(part)[field])['memory']) ?? 0), 0);
