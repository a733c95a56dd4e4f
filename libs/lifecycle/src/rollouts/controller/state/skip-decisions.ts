import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { isOfEarlier } from './open-decisions.js';

type Outcome = Readonly<{ effective?: boolean; at?: string }>;

/**
 * The clusters that a Skip decision about a roll-out names, with no Retry after it: it outlives their rows,
 * which are gone where assignments are deleted (design: fleet.md §3.3). Of a Skip of whole waves or classes
 * it is not known any more which clusters waited then. `decisions`: the older ones first.
 */
export function skippedByName(
  rollout: Pick<FleetDecision, 'metadata'>,
  decisions: readonly FleetDecision[],
): ReadonlySet<string> {
  const { namespace, name } = rollout.metadata;
  const skipped = new Set<string>();
  const effective = decisions
    .filter(({ metadata, spec }) => metadata.namespace === namespace && spec.rollout === name)
    .filter((one) => !isOfEarlier(one, rollout))
    .map(({ spec, status }) => ({ spec, ...((status ?? {}) as Outcome) }))
    .filter((one) => one.effective === true)
    .sort((a, b) => byCodeUnit(a.at ?? '', b.at ?? ''));
  for (const { spec } of effective) {
    const { action, clusters = [] } = spec;
    if (action === 'Skip') for (const one of clusters) skipped.add(one);
    if (action === 'Retry') for (const one of clusters.length > 0 ? clusters : [...skipped]) skipped.delete(one);
  }
  return skipped;
}
