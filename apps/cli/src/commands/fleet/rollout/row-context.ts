import type { RolloutRow } from '#core/rollout/controller/step/row';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import type { FleetStep } from './advised-steps.js';

/** The input for the explanation of one row. `short`: the rollout's name as commands take it. */
export type RowPlace = Readonly<{ fleet: LiveFleet; rollout: LiveRollout; row: RolloutRow; short: string }>;

/** The text `waits for …`, the causes behind that, and possible steps. */
export type RowWords = Readonly<{ sentence: string; chain?: readonly string[]; todo?: readonly FleetStep[] }>;

/** Returns the cluster's report about the subject. */
export function reportedIn({ fleet, rollout, row }: Omit<RowPlace, 'short'>): string[] {
  const message = fleet.clusters.get(row.cluster)?.report(rollout.record.spec.subject)?.message;
  return message === undefined ? [] : [message];
}
