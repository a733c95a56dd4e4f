import type { SelectedCluster, SelectorFailure } from '../../placement/select-clusters.js';
import type { FleetFiles, FleetSubject } from './subjects.js';

/** True if a cluster is a target of a subject: both select it, and the cluster allows its namespace. */
export function isTargetOf(subject: FleetSubject | undefined, cluster: TargetCluster | undefined): boolean {
  return subject !== undefined && cluster !== undefined && allows(cluster, subject) && subject.selects(cluster);
}

/** Facts that decide if a cluster is a target of a subject. */
export type TargetCluster = SelectedCluster & Readonly<{ allowedNamespaces: readonly string[] | undefined }>;

const allows = ({ allowedNamespaces: allowed }: TargetCluster, { namespace }: FleetSubject): boolean =>
  allowed === undefined || allowed.includes(namespace);

/** Names why a subject is not in a cluster that allows it, if an expression of a selector fails there. */
export const selectorFailureOn = (subject: FleetSubject, cluster: TargetCluster): SelectorFailure | undefined =>
  allows(cluster, subject) ? subject.failureOn?.(cluster) : undefined;

/** True if a cluster is a target of an older subject for the same package and namespace. */
export function hasOlder(files: FleetFiles, { place, key }: FleetSubject, cluster: TargetCluster): boolean {
  if (place === undefined) return false;
  for (const other of files.subjects.values()) {
    if (other.key === key) return false;
    const isSame = other.place?.package === place.package && other.place.namespace === place.namespace;
    if (isSame && isTargetOf(other, cluster)) return true;
  }
  return false;
}
