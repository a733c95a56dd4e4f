/**
 * Finalizer of a FleetCluster with its login in a Secret. It stays until the hub's finalizers in the cluster
 * are released (design: fleet.md §1.1).
 */
export const RELEASE_FINALIZER = 'fleet.flotilla.dev/release';

/** Annotation of a deleted FleetCluster, `"true"`: it does not wait for an unreachable cluster. */
export const FORCE_REMOVAL_ANNOTATION = 'fleet.flotilla.dev/force-removal';

type Metadata = Readonly<{
  deletionTimestamp?: unknown;
  finalizers?: unknown;
  annotations?: Readonly<Record<string, string>> | undefined;
}>;

export const isBeingDeleted = (metadata: object): boolean =>
  (metadata as Metadata).deletionTimestamp !== undefined && (metadata as Metadata).deletionTimestamp !== null;

export function hasReleaseFinalizer(metadata: object): boolean {
  const { finalizers } = metadata as Metadata;
  return Array.isArray(finalizers) && finalizers.includes(RELEASE_FINALIZER);
}

export const isRemovalForced = (metadata: object): boolean =>
  (metadata as Metadata).annotations?.[FORCE_REMOVAL_ANNOTATION] === 'true';
