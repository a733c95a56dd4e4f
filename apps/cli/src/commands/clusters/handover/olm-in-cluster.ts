import { OLM_DEPLOYMENTS } from '#core/cluster/joining/olm-signs';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { asRecord } from '#core/kernel/crd/loose-value';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';

export const DEPLOYMENT: KindRef = KIND.Deployment;
export const POD: KindRef = KIND.Pod;
/** The operator that OLM installs for its own package server. */
export const PACKAGE_SERVER = 'packageserver';
/** Annotation of a Deployment that a hand-over has scaled to nothing: its earlier number of replicas. */
export const REPLICAS_ANNOTATION = 'flotilla.dev/replicas-before-handover';
/** Label of the pods and Services that OLM makes for a catalog. */
const CATALOG_LABEL = 'olm.catalogSource';

/** OLM's own Deployments in a cluster, in whatever namespace, scaled to nothing or not. */
export async function olmDeployments(client: KubeClient): Promise<readonly KubernetesObject[]> {
  const lists = await Promise.all(
    OLM_DEPLOYMENTS.map((name) => client.list(DEPLOYMENT, { fieldSelector: `metadata.name=${name}` })),
  );
  const found = lists.flatMap((list) => (list?.items ?? []).map((item) => ({ ...item, ...DEPLOYMENT })));
  return found.toSorted((a, b) => byCodeUnit(titleOf(a), titleOf(b)));
}

/** Returns the number of replicas: one if none is given, as the API server defaults it. */
export function replicasOf(deployment: KubernetesObject): number {
  const { replicas } = asRecord(deployment['spec']);
  return typeof replicas === 'number' ? replicas : 1;
}

/** The pods that a Deployment selects. */
export async function podsOf(client: KubeClient, deployment: KubernetesObject): Promise<readonly KubernetesObject[]> {
  const labels = asRecord(asRecord(asRecord(deployment['spec'])['selector'])['matchLabels']);
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',');
  if (labelSelector === '') return [];
  const list = await client.list(POD, { namespace: deployment.metadata.namespace ?? '', labelSelector });
  return (list?.items ?? []).map((item) => ({ ...item, ...POD }));
}

/** The ClusterServiceVersions of OLM's package server, in the namespaces of OLM. */
export async function packageServers(
  client: KubeClient,
  deployments: readonly KubernetesObject[],
): Promise<readonly KubernetesObject[]> {
  const namespaces = [...new Set(deployments.map(({ metadata }) => metadata.namespace ?? ''))];
  const found = await Promise.all(
    namespaces.map((namespace) => client.get({ ...CSV_API, name: PACKAGE_SERVER, namespace })),
  );
  return found.flatMap((csv) => (csv === undefined ? [] : [{ ...csv, ...CSV_API }]));
}

/** Returns the pods and Services that serve the content of catalogs for OLM. */
export async function catalogServers(client: KubeClient): Promise<readonly KubernetesObject[]> {
  const [pods, services] = await Promise.all([
    client.list(POD, { labelSelector: CATALOG_LABEL }),
    client.list(KIND.Service),
  ]);
  const ofCatalogs = (services?.items ?? []).filter(({ metadata }) =>
    metadata.ownerReferences?.some(
      ({ apiVersion, kind }) => kind === CATALOG_SOURCE_API.kind && apiVersion === CATALOG_SOURCE_API.apiVersion,
    ),
  );
  const all = [
    ...(pods?.items ?? []).map((pod) => ({ ...pod, ...POD })),
    ...ofCatalogs.map((service) => ({ ...service, ...KIND.Service })),
  ];
  return all.toSorted((a, b) => byCodeUnit(titleOf(a), titleOf(b)));
}

export const titleOf = ({ kind, metadata: { namespace, name } }: KubernetesObject): string =>
  `${kind} ${[namespace, name].filter(Boolean).join('/')}`;
