import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OWNER_NAME_LABEL, REVISION_NAME_LABEL, ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { type RevisionStates, revisionStates } from '#core/v1/revision/revision-states';
import type { PassReader } from '../../engine/passes/pass-reader.js';

/** A ClusterExtension and all that belongs to it, as just read. */
export type ExtensionRead = Readonly<{
  name: string;
  extension: ClusterExtension;
  revisions: readonly ClusterObjectSet[];
  states: RevisionStates;
  /**
   * Secrets with manifests, by `namespace/name`: of revisions that are active, being
   * archived, or desired again.
   */
  secrets: ReadonlyMap<string, KubernetesObject>;
}>;

/** Reads an extension. Undefined if there is no such extension, or an unreadable one. */
export async function readExtension(
  reader: PassReader,
  name: string,
  systemNamespace: string,
): Promise<ExtensionRead | undefined> {
  const labelSelector = `${OWNER_NAME_LABEL}=${name}`;
  const [found, sets] = await Promise.all([
    reader.get({ ...CLUSTER_EXTENSION_API, name }),
    reader.list(CLUSTER_OBJECT_SET_API, { labelSelector }),
  ]);
  const extension = found && ClusterExtension.safeParse({ ...found, ...CLUSTER_EXTENSION_API }).data;
  if (extension === undefined) return undefined;
  const revisions = sets.flatMap(
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
    secrets: await secretsOf(reader, systemNamespace, read),
  };
}

/** By `namespace/name`. Manifests may be some MiB a revision: only those that are needed are read. */
async function secretsOf(
  reader: PassReader,
  namespace: string,
  revisions: readonly ClusterObjectSet[],
): Promise<Map<string, KubernetesObject>> {
  if (revisions.length === 0) return new Map();
  const names = revisions.map(({ metadata }) => metadata.name ?? '').join(',');
  const labelSelector = `${REVISION_NAME_LABEL} in (${names})`;
  const found = await reader.list(KIND.Secret, { namespace, labelSelector });
  return new Map(found.map((secret) => [placeOf(secret), secret]));
}

const placeOf = ({ metadata }: KubernetesObject): string => `${metadata.namespace}/${metadata.name}`;
