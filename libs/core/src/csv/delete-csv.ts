import type { Action } from '../actions/action.js';
import { type ClusterServiceVersion, CSV_API, CSV_CLEANUP_FINALIZER } from '../api/cluster-service-version.js';
import type { KubernetesObject, ObjectRef } from '../api/kubernetes-object.js';
import { csvName, csvNamespace } from './csv-facts.js';
import type { CsvStep, CsvWorld } from './csv-world.js';
import { csvOwnerLabels, hasLabels } from './owner-labels.js';

const RBAC = 'rbac.authorization.k8s.io/v1';
const CLEANUP_WAIT_MS = 1_000;

const csvRef = (csv: ClusterServiceVersion): ObjectRef => ({
  ...CSV_API,
  name: csvName(csv),
  namespace: csvNamespace(csv),
});

/** Replaces the finalizers under an optimistic lock. */
export function patchFinalizers(csv: ClusterServiceVersion, finalizers: readonly string[]): Action {
  const { resourceVersion } = csv.metadata;
  const metadata = { ...(resourceVersion === undefined ? {} : { resourceVersion }), finalizers };
  return { do: 'patch', ref: csvRef(csv), patch: { metadata } };
}

/**
 * Clean-up of a CSV that is being deleted: what cannot have it as an owner, cluster-scoped RBAC found by owner labels,
 * is deleted first; once it is seen gone the finalizer is released (spec: csv-lifecycle.md §9).
 */
export function deleteCsv(csv: ClusterServiceVersion, world: CsvWorld): CsvStep {
  const finalizers = csv.metadata.finalizers ?? [];
  if (!finalizers.includes(CSV_CLEANUP_FINALIZER)) return { actions: [], afterwards: [], wake: [] };
  const owned = (list: readonly KubernetesObject[]) => list.filter((one) => hasLabels(one, csvOwnerLabels(csv)));
  const bindings = owned(world.clusterRoleBindings);
  const roles = owned(world.clusterRoles);
  if (bindings.length + roles.length > 0) {
    const kinds = bindings.length > 0 ? 'ClusterRoleBindings' : 'ClusterRoles';
    return {
      actions: [
        ...bindings.map((one) => deleteClusterScoped('ClusterRoleBinding', one)),
        ...roles.map((one) => deleteClusterScoped('ClusterRole', one)),
      ],
      afterwards: [],
      wake: [],
      next: { again: 'later', afterMs: CLEANUP_WAIT_MS, because: `waiting for ${kinds} to delete` },
    };
  }
  const rest = finalizers.filter((one) => one !== CSV_CLEANUP_FINALIZER);
  return { actions: [patchFinalizers(csv, rest)], afterwards: [], wake: [] };
}

const deleteClusterScoped = (kind: string, { metadata }: KubernetesObject): Action => ({
  do: 'delete',
  ref: { apiVersion: RBAC, kind, name: metadata.name ?? '' },
  propagation: 'Background',
  uid: metadata.uid,
});
