import type { KubernetesObject, ObjectRef } from '../../../kernel/api/kubernetes-object.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { crdChanges } from '../../crd-upgrade/crd-changes.js';
import { alongside, keptAlongside, ownersElsewhere } from './crd-reads.js';

/**
 * Annotation of an InstallPlan, ours: the CRDs that it changes and that operators of other namespaces came
 * with, as JSON. It is written before a user approves the plan (why: classic.md "The code of OLM counts").
 */
export const SHARED_CRDS_ANNOTATION = 'flotilla.dev/shared-crds';

/** A CRD that a plan changes under other operators. */
export type SharedCrd = Readonly<{ crd: string; owners: readonly string[]; changes: readonly string[] }>;

/** The CSVs that must be read before {@link sharedCrd} can answer. */
export const possibleOwners = (live: KubernetesObject): ObjectRef[] => alongside(live).map(({ csv }) => csv);

/**
 * Returns the other operators of the CRD and the changes for them. Undefined if there is no such operator or
 * no such change.
 */
export function sharedCrd(
  live: KubernetesObject,
  next: KubernetesObject,
  seen: Readonly<{ namespace: string; csvAt: (ref: ObjectRef) => KubernetesObject | undefined }>,
): SharedCrd | undefined {
  const owners = ownersElsewhere(keptAlongside(live, seen.csvAt), seen.namespace);
  const changes = crdChanges(live, next);
  if (owners.length === 0 || changes.length === 0) return undefined;
  return { crd: next.metadata.name ?? '', owners, changes };
}

/** Value of {@link SHARED_CRDS_ANNOTATION}. */
export const sharedCrdsAnnotation = (shared: readonly SharedCrd[]): string => canonicalJson(shared);

/** The same for people: text of the Event about the plan. */
export const sharedCrdText = ({ crd, owners, changes }: SharedCrd): string =>
  `CRD ${crd} also belongs to ${owners.join(', ')}; this plan ${changes.join(', ')}`;
