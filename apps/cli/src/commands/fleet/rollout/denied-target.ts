import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { LiveFleet } from '#lifecycle/rollouts/controller/state/live-fleet';
import { isMadeAnew } from './advised-steps.js';

/**
 * Returns the rollout that rolled a target back. No cluster is offered that target again before a Retry
 * decision or a change of spec.versions. Returns undefined if no rollout has.
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

/**
 * Returns the versions that a rollout denies a subject: its target, and the version on its path that failed
 * (why: fleet-returns.md "Denied versions").
 */
export function deniedOf(fleet: LiveFleet, subject: string, rollout: string): string[] {
  const found = new Set<string>();
  for (const cluster of fleet.clusters.values()) {
    for (const one of cluster.report(subject)?.denied ?? []) {
      if (one.scope === 'Operator' && one.rollout === rollout) found.add(one.bundle);
    }
  }
  return [...found].sort(byCodeUnit);
}

/** Returns the step that lifts the denial. A rollout can be retried only while there is no newer one. */
export function liftedBy(fleet: LiveFleet, name: string): string {
  const rollout = fleet.rollouts.find(({ record }) => record.spec.name === name);
  const isRetried = rollout !== undefined && isMadeAnew(rollout);
  return isRetried ? 'a Retry decision or a change of spec.versions' : 'a change of spec.versions';
}
