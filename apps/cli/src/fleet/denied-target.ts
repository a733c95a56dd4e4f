import type { LiveFleet } from '#lifecycle/fleet/rollouts/live-fleet';

/**
 * The roll-out that took a target back, so that no cluster is offered it again before a Retry decision;
 * undefined where none has.
 */
export function deniedBy(fleet: LiveFleet, subject: string, target: string): string | undefined {
  for (const cluster of fleet.clusters.values()) {
    const found = cluster
      .report(subject)
      ?.denied.find(({ bundle, scope }) => bundle === target && scope === 'Operator');
    if (found !== undefined) return found.rollout;
  }
  return undefined;
}
