import { CLUSTER_CATALOG_API, ClusterCatalog } from '../../kernel/api/cluster-catalog.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { readForeign } from '../../kernel/verdict/read-foreign.js';
import { unreadableSpec } from '../../kernel/verdict/unreadable-spec.js';

const EMPTY = { source: { type: '' } };

/**
 * Returns the object as a ClusterCatalog. A spec of other types becomes an empty one with its problem; only a
 * CRD that is not OLM's lets one through. A status of other types counts as none.
 */
export function readableCatalog(object: KubernetesObject): ClusterCatalog {
  const { metadata } = object;
  const read = readForeign(ClusterCatalog, { ...CLUSTER_CATALOG_API, metadata, spec: object['spec'] ?? {} });
  const spec = 'problem' in read ? unreadableSpec(EMPTY, read.problem) : { ...EMPTY, ...read.value.spec };
  const { data } = ClusterCatalog.safeParse({ ...object, ...CLUSTER_CATALOG_API, spec: EMPTY });
  return { ...(data ?? { ...CLUSTER_CATALOG_API, metadata }), spec };
}
