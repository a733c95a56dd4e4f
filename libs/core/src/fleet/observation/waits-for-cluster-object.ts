import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { allCrds } from '../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';

/**
 * Whether a change of an object outside of all namespaces may let an operator go on, or hold it up: of a
 * CustomResourceDefinition where the ClusterServiceVersion names it, or waits for APIs that it does not name
 * by a definition; of rights until it has succeeded.
 */
export function waitsForClusterObject(csv: ClusterServiceVersion, object: KubernetesObject): boolean {
  const isUnderWay = csv.status?.phase !== 'Succeeded';
  if (object.kind !== 'CustomResourceDefinition') return isUnderWay;
  if (allCrds(csv).some(({ name }) => name === object.metadata.name)) return true;
  return isUnderWay && (csv.spec.nativeAPIs ?? []).length > 0;
}

const RIGHTS: ReadonlySet<string> = new Set(['ClusterRole', 'ClusterRoleBinding']);

/**
 * Whether the object gives rights to the operator that its labels name, and to no other: the applier writes
 * such an object for one operator, and a pass over every operator of the cluster that is being installed
 * would find nothing. `own`: the applier wrote it last.
 */
export const isForOwnerAlone = ({ kind, metadata }: KubernetesObject, own: boolean): boolean =>
  own && RIGHTS.has(kind) && metadata.labels?.['olm.owner.namespace'] !== undefined;
