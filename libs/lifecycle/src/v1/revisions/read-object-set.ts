import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { revisionStates } from '#core/v1/revision/revision-states';
import type { PassReader } from '../../engine/passes/pass-reader.js';
import type { ExtensionDeps } from '../extensions/extension-deps.js';
import type { RevisionsRead } from '../extensions/extension-pass.js';

/** Reads the one set, and those that share its owner's name. Undefined if it is gone. */
export async function readObjectSet(
  reader: PassReader,
  name: string,
  { systemNamespace }: ExtensionDeps,
): Promise<RevisionsRead | undefined> {
  const found = await reader.get({ ...CLUSTER_OBJECT_SET_API, name });
  const set = found && ClusterObjectSet.safeParse({ ...found, ...CLUSTER_OBJECT_SET_API }).data;
  if (set === undefined) return undefined;
  const owner = set.metadata.labels?.[OWNER_NAME_LABEL];
  const labelSelector = `${OWNER_NAME_LABEL}=${owner}`;
  const siblings = owner === undefined ? [] : await reader.list(CLUSTER_OBJECT_SET_API, { labelSelector });
  const others = siblings.flatMap(
    (object) => ClusterObjectSet.safeParse({ ...object, ...CLUSTER_OBJECT_SET_API }).data ?? [],
  );
  const revisions = [set, ...others.filter(({ metadata }) => metadata.uid !== set.metadata.uid)];
  const secrets = await secretsOf(reader, revisions, systemNamespace);
  return { revisions, states: revisionStates(revisions), secrets };
}

/** Secrets by `namespace/name`: manifests may be in Secrets of any namespace. */
async function secretsOf(
  reader: PassReader,
  revisions: readonly ClusterObjectSet[],
  systemNamespace: string,
): Promise<Map<string, KubernetesObject>> {
  const refs = revisions.flatMap(({ spec }) =>
    (spec.phases ?? []).flatMap(({ objects }) => objects.map(({ ref }) => ref)),
  );
  const places = new Map(
    refs.flatMap((ref) => {
      if (ref === undefined) return [];
      const namespace = ref.namespace || systemNamespace;
      return [[`${namespace}/${ref.name}`, { namespace, name: ref.name }] as const];
    }),
  );
  const read = await Promise.all(
    [...places].map(async ([place, where]) => {
      const secret = await reader.get({ ...KIND.Secret, ...where });
      return secret === undefined ? [] : [[place, secret] as const];
    }),
  );
  return new Map(read.flat());
}
