import type { Action } from '../../kernel/actions/action.js';
import {
  type ClusterServiceVersion,
  CSV_API,
  CSV_CLEANUP_FINALIZER,
} from '../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace } from '../../kernel/api/csv-facts.js';
import { KIND } from '../../kernel/api/kinds.js';
import { type KubernetesObject, type ObjectRef, refOf } from '../../kernel/api/kubernetes-object.js';
import { csvOwnerLabels, hasLabels } from '../../kernel/api/owner-labels.js';
import { deleteAdmissionWebhooks } from './serving/admission-webhooks.js';
import { deleteApiServices } from './serving/api-services.js';
import { resetConversions } from './serving/conversion-webhooks.js';
import { releaseShared, sharedNamesOf } from './serving/shared-bindings.js';
import type { CsvStep, CsvWorld } from './world/csv-world.js';

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
 * Cleans up a CSV that is being deleted. Objects that cannot have it as an owner are found by owner labels
 * and deleted first: those that make the API server call it, then cluster-scoped RBAC. The finalizer is
 * released once they are seen gone (spec: csv-lifecycle.md §9).
 */
export function deleteCsv(csv: ClusterServiceVersion, world: CsvWorld): CsvStep {
  const finalizers = csv.metadata.finalizers ?? [];
  if (!finalizers.includes(CSV_CLEANUP_FINALIZER)) return { actions: [], afterwards: [] };
  const shared = new Set(sharedNamesOf(csv));
  const owned = (list: readonly KubernetesObject[]) =>
    list.filter((one) => hasLabels(one, csvOwnerLabels(csv)) && !shared.has(one.metadata.name ?? ''));
  const bindings = owned(world.clusterRoleBindings);
  const roles = owned(world.clusterRoles);
  const callers = [
    ...deleteAdmissionWebhooks(world),
    ...resetConversions(csv, world),
    ...deleteApiServices(csv, world),
    ...releaseShared(csv, world),
    ...owned(world.authReaders).map(deleteAuthReader),
  ];
  if (callers.length + bindings.length + roles.length > 0) {
    const kinds = callers.length > 0 ? 'callers' : bindings.length > 0 ? 'ClusterRoleBindings' : 'ClusterRoles';
    return {
      actions: [
        ...callers,
        ...bindings.map((one) => deleteClusterScoped(KIND.ClusterRoleBinding, one)),
        ...roles.map((one) => deleteClusterScoped(KIND.ClusterRole, one)),
      ],
      afterwards: [],
      next: { again: 'later', afterMs: CLEANUP_WAIT_MS, because: `waiting for ${kinds} to delete` },
    };
  }
  const rest = finalizers.filter((one) => one !== CSV_CLEANUP_FINALIZER);
  return { actions: [patchFinalizers(csv, rest)], afterwards: [], releasing: true };
}

const deleteAuthReader = (binding: KubernetesObject): Action => ({
  do: 'delete',
  ref: refOf(binding),
  propagation: 'Background',
  uid: binding.metadata.uid,
});

/**
 * Deletes with a lock: the object's labels and its CSV's deletion decide, and a deletion cannot be undone.
 */
const deleteClusterScoped = (kind: Omit<ObjectRef, 'name'>, { metadata }: KubernetesObject): Action => ({
  do: 'delete',
  ref: { ...kind, name: metadata.name ?? '' },
  propagation: 'Background',
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
});
