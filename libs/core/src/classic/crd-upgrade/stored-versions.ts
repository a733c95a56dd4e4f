import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { crdKind, crdVersions, storedVersions } from '../../kernel/crd/crd-versions.js';

/**
 * Annotation of an OperatorGroup, ours: `"true"` has the objects of a kind rewritten when a plan of the
 * namespace removes a version in which some may still be stored (the last of the four steps in which a
 * version is removed; decision on CRD changes).
 */
export const MIGRATE_ANNOTATION = 'flotilla.dev/migrate-stored-versions';

/** What has to happen before stored versions may leave a CRD. */
export type StoredVersionMigration = Readonly<{
  kind: string;
  /** The versions that leave status.storedVersions. */
  leaving: readonly string[];
  /** The version in which the API server stores objects now. */
  storage: string;
  /**
   * A served version in which all objects are read and written back unchanged: that stores them in `storage`.
   */
  through: string;
}>;

/** Versions in which objects may lie in the cluster's storage and that the next CRD does not know. */
export function lostStoredVersions(current: KubernetesObject, next: KubernetesObject): string[] {
  const later = new Set(crdVersions(next).map(({ name }) => name));
  return storedVersions(current).filter((version) => !later.has(version));
}

/** `wayOut` says why the versions cannot go yet, and what comes first. */
type MigrationPlan = Readonly<{ migration: StoredVersionMigration } | { wayOut: string }>;

/** The end of OLM's words for a CRD that would lose a stored version. */
export const STORED_VERSION_REFUSED = 'that is listed as a stored version on the existing CRD';

/** How the lost stored versions can go; undefined where none is lost. */
export function planMigration(current: KubernetesObject, next: KubernetesObject): MigrationPlan | undefined {
  const leaving = lostStoredVersions(current, next);
  if (leaving.length === 0) return undefined;
  const versions = crdVersions(current);
  const storage = versions.find((version) => version.storage)?.name ?? '';
  const text = leaving.join(', ');
  if (!crdVersions(next).some(({ name }) => name === storage)) {
    return {
      wayOut: `Objects are still stored in ${storage}: first install a version of the operator whose CRD stores another version and keeps ${text} with served: false`,
    };
  }
  const served = versions.filter((version) => version.served).map(({ name }) => name);
  const through = served.includes(storage) ? storage : served[0];
  if (through === undefined) {
    return { wayOut: `None of its versions is served, so its objects cannot be rewritten: first serve ${storage}` };
  }
  return { migration: { kind: crdKind(current), leaving, storage, through } };
}

/** How people allow what {@link planMigration} found. */
export const optInTo = ({ kind, leaving, storage }: StoredVersionMigration): string =>
  `To let it go, set annotation ${MIGRATE_ANNOTATION}: "true" on the OperatorGroup: every ${kind} is then rewritten in ` +
  `${storage}, and ${leaving.join(', ')} ${leaving.length === 1 ? 'leaves' : 'leave'} status.storedVersions; this plan then goes on`;

/** The CRD with the status that says that nothing is stored in the versions that leave. */
export function withoutStored(crd: KubernetesObject, { leaving, storage }: StoredVersionMigration): KubernetesObject {
  const kept = storedVersions(crd).filter((version) => !leaving.includes(version));
  const status = typeof crd['status'] === 'object' ? crd['status'] : {};
  return { ...crd, status: { ...status, storedVersions: kept.includes(storage) ? kept : [...kept, storage] } };
}
