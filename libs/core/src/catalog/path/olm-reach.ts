import { olmStep } from '../graph/upgrade-edges.js';
import type { Installed, UpgradeGraph } from '../graph/upgrade-graph.js';

/**
 * Every step OLM Classic may take in a package, with any channel of the Subscription: the possible next
 * bundles of each bundle.
 */
type OlmSteps = ReadonlyMap<string, readonly Installed[]>;

/** Returns steps from every entry, and from `start`, even if it is no entry. */
export function olmSteps({ channels }: UpgradeGraph, start: Installed): OlmSteps {
  const bundles = new Map<string, Installed>([[start.name, start]]);
  for (const entry of channels.flatMap(({ entries }) => entries)) bundles.set(entry.name, entry);
  const steps = [...bundles.values()].map((bundle) => {
    const next = channels.flatMap((channel) => {
      const step = olmStep(channel, bundle);
      return typeof step === 'object' && 'entry' in step ? step.entry : [];
    });
    return [bundle.name, next] as const;
  });
  return new Map(steps);
}

/** Returns `start` and all that OLM gets to from it. */
export function reachedFrom(steps: OlmSteps, start: Installed): Installed[] {
  const reached = new Map([[start.name, start]]);
  for (const bundle of reached.values()) {
    for (const next of steps.get(bundle.name) ?? []) if (!reached.has(next.name)) reached.set(next.name, next);
  }
  return [...reached.values()];
}

/** Returns the names of the goal and of all bundles that OLM can upgrade to it. */
export function leadingTo(steps: OlmSteps, goal: Installed): ReadonlySet<string> {
  const before = new Map<string, string[]>();
  for (const [name, next] of steps) {
    for (const follower of next) before.set(follower.name, [...(before.get(follower.name) ?? []), name]);
  }
  const leads = new Set([goal.name]);
  for (const name of leads) for (const earlier of before.get(name) ?? []) leads.add(earlier);
  return leads;
}
