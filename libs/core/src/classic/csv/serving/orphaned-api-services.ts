import type { Action } from '../../../kernel/actions/action.js';
import { type ClusterServiceVersion, CSV_API } from '../../../kernel/api/cluster-service-version.js';
import { isCopied } from '../../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { API_SERVICE } from './api-services.js';

/** Selects the APIServices with owner labels of a CSV in the namespace. */
export const apiServicesOf = (namespace: string): string =>
  `olm.managed=true,olm.owner.kind=${CSV_API.kind},olm.owner.namespace=${namespace}`;

/**
 * Deletes APIServices if their CSV is missing. They lie in no namespace, so only this deletes them, and an
 * API without a backend disturbs discovery in the whole cluster (spec: csv-lifecycle.md §7).
 */
export function deleteOrphanedApiServices(
  apiServices: readonly KubernetesObject[],
  csvs: readonly ClusterServiceVersion[],
): readonly Action[] {
  const there = new Set(csvs.filter((csv) => !isCopied(csv)).map(({ metadata }) => metadata.name));
  return apiServices
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !there.has(metadata.labels?.['olm.owner']))
    .map(({ metadata: { name = '', uid } }) => ({
      do: 'delete',
      ref: { ...API_SERVICE, name },
      propagation: 'Background',
      uid,
    }));
}
