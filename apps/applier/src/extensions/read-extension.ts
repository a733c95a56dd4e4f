import { CLUSTER_CATALOG_API } from '#core/api/cluster-catalog';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/api/cluster-object-set';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import { OWNER_NAME_LABEL } from '#core/revision/revision-keys';
import { type RevisionStates, revisionStates } from '#core/revision/revision-states';
import type { KubeClient } from '#platform/kube/kube-client.port';

/** A ClusterExtension and all that belongs to it, as the API server has it now. */
export type ExtensionRead = Readonly<{
  name: string;
  extension: ClusterExtension;
  revisions: readonly ClusterObjectSet[];
  states: RevisionStates;
  /** Secrets with manifests of its revisions, by `namespace/name`. */
  secrets: ReadonlyMap<string, KubernetesObject>;
  /** Labels of every ClusterCatalog of the cluster. */
  catalogLabels: readonly Readonly<Record<string, string>>[];
}>;

/** Undefined where there is no such extension, or none that can be understood. */
export async function readExtension(
  client: KubeClient,
  name: string,
  systemNamespace: string,
): Promise<ExtensionRead | undefined> {
  const labelSelector = `${OWNER_NAME_LABEL}=${name}`;
  const [found, sets, secrets, catalogs] = await Promise.all([
    client.get({ ...CLUSTER_EXTENSION_API, name }),
    client.list(CLUSTER_OBJECT_SET_API, { labelSelector }),
    client.list({ apiVersion: 'v1', kind: 'Secret' }, { namespace: systemNamespace, labelSelector }),
    client.list(CLUSTER_CATALOG_API),
  ]);
  const extension = found && ClusterExtension.safeParse({ ...found, ...CLUSTER_EXTENSION_API }).data;
  if (extension === undefined) return undefined;
  const revisions = (sets?.items ?? []).flatMap(
    (object) => ClusterObjectSet.safeParse({ ...object, ...CLUSTER_OBJECT_SET_API }).data ?? [],
  );
  return {
    name,
    extension,
    revisions,
    states: revisionStates(revisions),
    secrets: new Map((secrets?.items ?? []).map((secret) => [placeOf(secret), secret])),
    catalogLabels: (catalogs?.items ?? []).map(({ metadata }) => metadata.labels ?? {}),
  };
}

const placeOf = ({ metadata }: KubernetesObject): string => `${metadata.namespace}/${metadata.name}`;
