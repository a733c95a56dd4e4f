import { CSV_API } from '../../../kernel/api/cluster-service-version.js';
import type { OwnerReference } from '../../../kernel/api/kubernetes-object.js';

/**
 * A reference to a CSV that neither controls nor holds up deletion. In a stored step the uid
 * is not known yet: empty.
 */
export const nonBlockingOwner = (csv: string, uid = ''): OwnerReference => ({
  apiVersion: CSV_API.apiVersion,
  kind: CSV_API.kind,
  name: csv,
  uid,
  controller: false,
  blockOwnerDeletion: false,
});

/**
 * Returns the labels that name an object's CSV if a reference cannot (cluster scope). Spec: api-types.md §10.
 */
export const ownerLabels = (csv: string, namespace: string): Record<string, string> => ({
  'olm.owner': csv,
  'olm.owner.kind': CSV_API.kind,
  'olm.owner.namespace': namespace,
});
