import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { crdKind, crdVersions, storedVersions } from '../../kernel/crd/crd-versions.js';

/**
 * Flotilla's annotation of an OperatorGroup. `"true"` rewrites the objects of a kind when a plan of the
 * namespace removes a version in which some may still be stored. This is the last of the four steps of
 * removing a version (decision on CRD changes).
 */
export const MIGRATE_ANNOTATION = 'flotilla.dev/migrate-stored-versions';

/** A migration that must happen before stored versions may leave a CRD. */
export type StoredVersionMigration = Readonly<{
  kind: string;
  /** The versions that leave status.storedVersions. */
  leaving: readonly string[];
  /** The version in which the API server currently stores objects. */
  storage: string;
  /**
   * A served version in which all objects are read and written back unchanged, which stores them in
   * `storage`.
   */
  through: string;
}>;

/** Returns the versions in which objects may still be stored and that the next CRD does not have. */
export function lostStoredVersions(current: KubernetesObject, next: KubernetesObject): string[] {
  const later = new Set(crdVersions(next).map(({ name }) => name));
  return storedVersions(current).filter((version) => !later.has(version));
}

/** `wayOut` gives the reason the versions cannot be removed yet, and the step that comes first. */
type MigrationPlan = Readonly<{ migration: StoredVersionMigration } | { wayOut: string }>;

/** The end of OLM's words for a CRD that would lose a stored version. */
export const STORED_VERSION_REFUSED = 'that is listed as a stored version on the existing CRD';

/** Returns how the lost stored versions can be removed. Undefined if none is lost. */
export function planMigration(current: KubernetesObject, next: KubernetesObject): MigrationPlan | undefined {
  const leaving = lostStoredVersions(current, next);
  if (leaving.length === 0) return undefined;
  const versions = crdVersions(current);
  const storage = versions.find((version) => version.storage)?.name ?? '';
  const text = leaving.join(', ');
  if (!crdVersions(next).some(({ name }) => name === storage)) {
    return {
      wayOut: `Objects are still stored in ${storage}: first install a version of the operator with a CRD that stores another version and keeps ${text} with served: false`,
    };
  }
  const served = versions.filter((version) => version.served).map(({ name }) => name);
  const through = served.includes(storage) ? storage : served[0];
  if (through === undefined) {
    return { wayOut: `None of its versions is served, so its objects cannot be rewritten: first serve ${storage}` };
  }
  return { migration: { kind: crdKind(current), leaving, storage, through } };
}

/** Returns the advice for users on how to allow a migration from {@link planMigration}. */
export const optInTo = ({ kind, leaving, storage }: StoredVersionMigration): string =>
  `To remove it, set annotation ${MIGRATE_ANNOTATION}: "true" on the OperatorGroup: every ${kind} is then rewritten in ` +
  `${storage}, and ${leaving.join(', ')} ${leaving.length === 1 ? 'leaves' : 'leave'} status.storedVersions; this plan then continues`;

/** Returns the CRD with a status in which nothing is stored in the versions that leave. */
export function withoutStored(crd: KubernetesObject, { leaving, storage }: StoredVersionMigration): KubernetesObject {
  const kept = storedVersions(crd).filter((version) => !leaving.includes(version));
  const status = typeof crd['status'] === 'object' ? crd['status'] : {};
  return { ...crd, status: { ...status, storedVersions: kept.includes(storage) ? kept : [...kept, storage] } };
}
