import { type FoundCondition, mergedConditions } from '../../kernel/conditions/condition-list.js';
import type { FleetClusterStatus } from './cluster-conditions.js';

/**
 * Returns the status of a FleetCluster after its source was read. Returns the same object if nothing
 * changed.
 */
export function statusInSource(
  before: FleetClusterStatus,
  { isThere, source }: Readonly<{ isThere: boolean; source: string }>,
  at: string,
): FleetClusterStatus {
  const known = before.conditions ?? [];
  const found: FoundCondition = isThere
    ? { type: 'InSource', status: 'True', reason: 'Present', message: '' }
    : { type: 'InSource', status: 'False', reason: 'Left', message: leftText(source) };
  const conditions = mergedConditions(known, [found], at);
  return conditions === known ? before : { ...before, conditions };
}

/** The message of the condition and the Event about a cluster that has left. */
export const leftText = (source: string): string =>
  `FleetClusterSource "${source}" has this cluster no more: it stays in the fleet until its FleetCluster is deleted`;
