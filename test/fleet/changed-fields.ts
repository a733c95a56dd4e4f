import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';

/** By resource, namespace and name. */
export type StoredObjects = ReadonlyMap<string, KubernetesObject>;

/** Objects that the hub and API servers make for themselves. */
const NOT_OF_USERS = /^(events|leases\.coordination\.k8s\.io|installplans\.operators\.coreos\.com) /;

/**
 * Returns an object without status, without fields of the API server, and without the rules that a controller
 * gathers in a ClusterRole some time later.
 */
export function asUsersMade({ metadata, status: _status, ...rest }: KubernetesObject): KubernetesObject {
  const { managedFields: _by, resourceVersion: _version, generation: _generation, ...kept } = metadata;
  const { rules: _gathered, ...own } = rest as Readonly<Record<string, unknown>>;
  return { ...('aggregationRule' in rest ? own : rest), metadata: kept } as KubernetesObject;
}

/** Each object of a simulated cluster as users have made it. */
export function objectsIn(cluster: SimulatedCluster): StoredObjects {
  const all = cluster.stored().map(({ resource, object }) => {
    const { namespace = '', name } = object.metadata;
    return [`${resource} ${namespace}/${name}`, asUsersMade(object)] as const;
  });
  return new Map(all.filter(([key]) => !NOT_OF_USERS.test(key)));
}

/** The fields that differ, as paths; a whole object that came or went as its key. */
export function changedFields(before: StoredObjects, after: StoredObjects): string[] {
  const found: string[] = [];
  const compare = (path: string, one: unknown, other: unknown): void => {
    if (JSON.stringify(one) === JSON.stringify(other)) return;
    const areObjects = [one, other].every((value) => typeof value === 'object' && value !== null);
    if (!areObjects) found.push(path);
    else {
      const keys = new Set([...Object.keys(one as object), ...Object.keys(other as object)]);
      for (const key of keys) compare(`${path}.${key}`, (one as never)[key], (other as never)[key]);
    }
  };
  for (const key of new Set([...before.keys(), ...after.keys()])) compare(key, before.get(key), after.get(key));
  return found.sort();
}
