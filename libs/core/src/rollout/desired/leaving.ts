import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';

/**
 * Finalizer of a FleetOperator with `removal: Delete`. It stays until every cluster has removed the
 * operator's objects.
 */
export const REMOVAL_FINALIZER = 'fleet.flotilla.dev/removal';

/** Reasons of reports about a removal. */
export const REMOVING = 'Removing';
export const REMOVED = 'Removed';

/**
 * A subject in a cluster that is no target any more: the subject was deleted, the cluster is no longer
 * selected, or it does not allow the subject's namespace.
 */
export type LeftSubject = Readonly<{
  /** Undefined if no object says any more how to remove it. */
  removal: FleetOperator['spec']['removal'] | undefined;
  /** True if another cluster now has the name: nothing of the subject is there. */
  isReplaced: boolean;
  isPaused: boolean;
  /** A window of type Deny is active for the cluster and the subject. */
  isDenied: boolean;
  /** True if the cluster has reported that nothing is left. */
  isRemoved: boolean;
}>;

/**
 * Decides about the cluster's orders for the subject. `Keep` writes nothing in the cluster. A removal is a
 * change, and waits for the end of a pause or of a window of type Deny.
 */
export function leavingStep({
  removal,
  isReplaced,
  isPaused,
  isDenied,
  isRemoved,
}: LeftSubject): 'Withdraw' | 'Wait' | 'Remove' {
  if (removal !== 'Delete' || isReplaced || isRemoved) return 'Withdraw';
  return isPaused || isDenied ? 'Wait' : 'Remove';
}

/** True if a deleted FleetOperator must stay until clusters have removed its objects. */
export const needsRemoval = (
  { spec }: Pick<FleetOperator, 'spec'>,
  isDeleted: boolean,
  /** Clusters that still have orders about it. */
  isOrdered: boolean,
): boolean => spec.removal === 'Delete' && (!isDeleted || isOrdered);
