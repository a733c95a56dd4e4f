import type { ClusterServiceVersion } from './cluster-service-version.js';
import { CSV_API } from './cluster-service-version.js';
import { csvName, csvNamespace } from './csv-facts.js';
import type { KubernetesObject, OwnerReference } from './kubernetes-object.js';

/** Put on everything OLM makes. */
export const MANAGED_LABEL = 'olm.managed';
export const MANAGED_SELECTOR = `${MANAGED_LABEL}=true`;

/** Labels that name the owner if an owner reference cannot (spec: api-types.md §10). */
export const ownerLabels = (name: string, namespace: string, kind: string): Readonly<Record<string, string>> => ({
  'olm.owner': name,
  'olm.owner.namespace': namespace,
  'olm.owner.kind': kind,
});

export const csvOwnerLabels = (csv: ClusterServiceVersion): Readonly<Record<string, string>> =>
  ownerLabels(csvName(csv), csvNamespace(csv), CSV_API.kind);

/** True when every one of `wanted` is on the object. */
export const hasLabels = (object: KubernetesObject, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => object.metadata.labels?.[key] === value);

/** Returns an owner reference that does not delay the deletion of the owner. */
export const nonBlockingOwner = (owner: KubernetesObject): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name ?? '',
  uid: owner.metadata.uid ?? '',
  controller: false,
  blockOwnerDeletion: false,
});

/** True when one of the object's owner references has this uid. */
export const isOwnedBy = (object: KubernetesObject, owner: KubernetesObject): boolean =>
  owner.metadata.uid !== undefined &&
  (object.metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.metadata.uid);
