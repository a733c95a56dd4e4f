import type { RolloutRow } from '#core/rollout/controller/step/row';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import type { FleetStep } from './advised-steps.js';

/** What one row is explained from. `short`: the roll-out's name as commands take it. */
export type RowPlace = Readonly<{ fleet: LiveFleet; rollout: LiveRollout; row: RolloutRow; short: string }>;

/** `waits for …`, what lies behind that, and what can be done. */
export type RowWords = Readonly<{ sentence: string; chain?: readonly string[]; todo?: readonly FleetStep[] }>;

/** What the cluster says about the subject. */
export function reportedIn({ fleet, rollout, row }: Omit<RowPlace, 'short'>): string[] {
  const message = fleet.clusters.get(row.cluster)?.report(rollout.record.spec.subject)?.message;
  return message === undefined ? [] : [message];
}
