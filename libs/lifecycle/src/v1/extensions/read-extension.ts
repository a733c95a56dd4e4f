import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OWNER_NAME_LABEL, REVISION_NAME_LABEL, ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { type RevisionStates, revisionStates } from '#core/v1/revision/revision-states';
import type { KubeClient } from '#platform/kube/kube-client.port';

/** A ClusterExtension and all that belongs to it, as the API server has it now. */
export type ExtensionRead = Readonly<{
  name: string;
  extension: ClusterExtension;
  revisions: readonly ClusterObjectSet[];
  states: RevisionStates;
  /** Secrets with manifests, by `namespace/name`: of revisions that are active, on their way out, or wanted again. */
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
  const [found, sets, catalogs] = await Promise.all([
    client.get({ ...CLUSTER_EXTENSION_API, name }),
    client.list(CLUSTER_OBJECT_SET_API, { labelSelector }),
    client.list(CLUSTER_CATALOG_API),
  ]);
  const extension = found && ClusterExtension.safeParse({ ...found, ...CLUSTER_EXTENSION_API }).data;
  if (extension === undefined) return undefined;
  const revisions = (sets?.items ?? []).flatMap(
    (object) => ClusterObjectSet.safeParse({ ...object, ...CLUSTER_OBJECT_SET_API }).data ?? [],
  );
  const states = revisionStates(revisions);
  const rollback = extension.metadata.annotations?.[ROLLBACK_KEY];
  const read = revisions.filter(({ spec }) => String(spec.revision) === rollback).concat(states.active, states.leaving);
  return {
    name,
    extension,
    revisions,
    states,
    secrets: await secretsOf(client, systemNamespace, read),
    catalogLabels: (catalogs?.items ?? []).map(({ metadata }) => metadata.labels ?? {}),
  };
}

/** By `namespace/name`. Manifests may be some MiB a revision: only those that are needed are read. */
async function secretsOf(
  client: KubeClient,
  namespace: string,
  revisions: readonly ClusterObjectSet[],
): Promise<Map<string, KubernetesObject>> {
  if (revisions.length === 0) return new Map();
  const names = revisions.map(({ metadata }) => metadata.name ?? '').join(',');
  const labelSelector = `${REVISION_NAME_LABEL} in (${names})`;
  const found = await client.list({ apiVersion: 'v1', kind: 'Secret' }, { namespace, labelSelector });
  return new Map((found?.items ?? []).map((secret) => [placeOf(secret), secret]));
}

const placeOf = ({ metadata }: KubernetesObject): string => `${metadata.namespace}/${metadata.name}`;
