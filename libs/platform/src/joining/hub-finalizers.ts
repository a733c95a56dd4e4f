import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KindRef, KubeClient } from '../kube/client/kube-client.port.js';

/** Finalizers that the hub sets; no other controller removes them when the hub is gone (decision 0109). */
const FINALIZERS: readonly (readonly [kind: KindRef, finalizer: string])[] = [
  [CSV_API, CSV_CLEANUP_FINALIZER],
  [CLUSTER_CATALOG_API, 'olm.operatorframework.io/delete-server-cache'],
];

/** An object of a cluster that could never be deleted once the hub is gone. */
export type HeldObject = Readonly<{ object: KubernetesObject; kind: KindRef; finalizer: string }>;

/** The objects of a cluster that carry a finalizer of the hub. Of each only its metadata is kept. */
export async function heldObjects(client: KubeClient): Promise<readonly HeldObject[]> {
  const lists = await Promise.all(
    FINALIZERS.map(async ([kind, finalizer]) => {
      const list = await client.list(kind, { keep: withoutContent });
      return (list?.items ?? [])
        .filter(({ metadata }) => metadata.finalizers?.includes(finalizer))
        .map((object) => ({ object, kind, finalizer }));
    }),
  );
  return lists.flat();
}

/** Removes the finalizers from each object that has not changed since it was read. */
export async function releaseObjects(client: KubeClient, held: readonly HeldObject[]): Promise<void> {
  for (const { object, kind, finalizer } of held) {
    const { name = '', namespace, resourceVersion, finalizers = [] } = object.metadata;
    const rest = finalizers.filter((one) => one !== finalizer);
    await client.patch(
      { ...kind, name, ...(namespace === undefined ? {} : { namespace }) },
      { metadata: { resourceVersion, finalizers: rest } },
    );
  }
}

const withoutContent = ({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject => ({
  apiVersion,
  kind,
  metadata,
});
