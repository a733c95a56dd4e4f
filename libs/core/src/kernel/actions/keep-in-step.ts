import type { KubernetesObject } from '../api/kubernetes-object.js';
import { sameJson } from '../canonical/same-json.js';
import type { Action } from './action.js';

/**
 * Returns the actions that bring the cluster from `live` to `wanted`: a create, or an update under the
 * optimistic lock of the object read. Returns none if they are equal already. Labels and annotations that
 * others set there stay; every other field named by `wanted` becomes equal to it.
 */
export function keepInStep(live: KubernetesObject | undefined, wanted: KubernetesObject): readonly Action[] {
  if (live === undefined) return [{ do: 'create', object: wanted }];
  const { apiVersion: _api, kind: _kind, metadata, ...content } = wanted;
  const next: KubernetesObject = {
    ...live,
    apiVersion: wanted.apiVersion,
    kind: wanted.kind,
    ...content,
    metadata: {
      ...live.metadata,
      ...(metadata.labels === undefined ? {} : { labels: { ...live.metadata.labels, ...metadata.labels } }),
      ...(metadata.annotations === undefined
        ? {}
        : { annotations: { ...live.metadata.annotations, ...metadata.annotations } }),
      ...(metadata.ownerReferences === undefined ? {} : { ownerReferences: metadata.ownerReferences }),
    },
  };
  // The API server answers lists without apiVersion and kind on each item: those are no difference.
  const asRead = { ...live, apiVersion: wanted.apiVersion, kind: wanted.kind };
  return sameJson(asRead, next) ? [] : [{ do: 'update', object: next }];
}
