import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { isOfEarlier } from './open-decisions.js';

type Outcome = Readonly<{ effective?: boolean; at?: string; clusters?: readonly string[] }>;

/**
 * Returns the clusters that a Skip decision about a rollout concerned, with no Retry after it. The skip
 * outlives their rows, which are gone if assignments are deleted (design: fleet.md §3.3). An older hub has
 * not kept the clusters that a decision concerned: then the named clusters count. `decisions`: the older ones
 * first.
 */
export function skippedByDecisions(
  rollout: Pick<FleetDecision, 'metadata'>,
  decisions: readonly FleetDecision[],
): ReadonlySet<string> {
  const { namespace, name } = rollout.metadata;
  const skipped = new Set<string>();
  const effective = decisions
    .filter(({ metadata, spec }) => metadata.namespace === namespace && spec.rollout === name)
    .filter((one) => !isOfEarlier(one, rollout))
    .map(({ spec, status }) => ({ spec, outcome: (status ?? {}) as Outcome }))
    .filter(({ outcome }) => outcome.effective === true)
    .sort((a, b) => byCodeUnit(a.outcome.at ?? '', b.outcome.at ?? ''));
  for (const { spec, outcome } of effective) {
    const concerned = outcome.clusters ?? spec.clusters ?? [];
    if (spec.action === 'Skip') for (const one of concerned) skipped.add(one);
    if (spec.action !== 'Retry') continue;
    if (outcome.clusters === undefined && concerned.length === 0) skipped.clear();
    for (const one of concerned) skipped.delete(one);
  }
  return skipped;
}
