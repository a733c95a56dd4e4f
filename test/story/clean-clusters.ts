import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KindRef, KubeClient, ListOptions } from '#platform/kube/client/kube-client.port';
import { PATIENCE_MS, pause } from '#testing/patience';
import { SAMPLE_NAMESPACES } from './play-story.js';

const RBAC = 'rbac.authorization.k8s.io/v1';
const CATALOG_SOURCES: KindRef = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };
const NAMESPACES: KindRef = { apiVersion: 'v1', kind: 'Namespace' };

/** Objects of a story at cluster level. Others go with its namespaces. */
const left: readonly (readonly [KindRef, ListOptions])[] = [
  [CATALOG_SOURCES, {}],
  [{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }, { labelSelector: 'olm.managed=true' }],
  [{ apiVersion: RBAC, kind: 'ClusterRole' }, { labelSelector: 'olm.owner' }],
  [{ apiVersion: RBAC, kind: 'ClusterRoleBinding' }, { labelSelector: 'olm.owner' }],
  [{ apiVersion: 'operators.coreos.com/v1', kind: 'Operator' }, {}],
];

const CSVS: KindRef = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };

/** Makes a cluster ready for another story: everything of the last one is gone when this resolves. */
export async function cleanCluster(client: KubeClient): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await remains(client);
    if (found.length === 0) return;
    if (performance.now() > deadline) throw new Error(`${client.cluster}: ${found.map(nameOf).join(', ')} do not go`);
    await releaseCsvs(client);
    await Promise.all(found.map(({ apiVersion, kind, metadata }) => remove(client, { apiVersion, kind }, metadata)));
    await pause(300);
  }
}

/** CSVs wait for the applier to clean up after them, and no service runs between two stories. */
async function releaseCsvs(client: KubeClient): Promise<void> {
  const found = await client.list(CSVS);
  for (const { metadata } of found?.items ?? []) {
    const { name = '', namespace, finalizers = [] } = metadata;
    if (finalizers.length > 0) await client.patch({ ...CSVS, name, namespace }, { metadata: { finalizers: null } });
  }
}

async function remains(client: KubeClient): Promise<KubernetesObject[]> {
  const lists = left.map(async ([kind, options]) => withKind(kind, (await client.list(kind, options))?.items ?? []));
  const namespaces = SAMPLE_NAMESPACES.map(async (name) => {
    const found = await client.get({ ...NAMESPACES, name });
    return withKind(NAMESPACES, found === undefined ? [] : [found]);
  });
  return (await Promise.all([...lists, ...namespaces])).flat();
}

const withKind = (kind: KindRef, items: readonly KubernetesObject[]): KubernetesObject[] =>
  items.map((item) => ({ ...item, ...kind }));

const remove = (client: KubeClient, kind: KindRef, { name = '', namespace }: KubernetesObject['metadata']) =>
  client.delete({ ...kind, name, ...(namespace === undefined ? {} : { namespace }) });

const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name}`;
