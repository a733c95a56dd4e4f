import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { changedFields } from '#core/rollout/review/changed-fields';
import { catalogDifferencesOf, widerHash } from '#core/rollout/review/shown-differences';
import { fleetPlanNameOf } from '../../assignments/fleet-plan-name.js';
import type { OrderPlace } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { keepOnce } from '../review/kept-plan.js';

/**
 * Keeps the changes of a class of a rollout of a Staged FleetCatalog, as FleetPlans of operators do. The
 * first cluster of the class creates the FleetPlan, and nothing changes it (why: fleet-rollouts.md
 * "FleetPlans"). The plans of the operators have the changes that the content brings. A cluster with more
 * changes is in a class of its own (decision 0517): returns the hash that names that class, undefined for the
 * class of the plan.
 */
export async function keepCatalogPlan(
  place: Pick<OrderPlace, 'hub' | 'memo'>,
  row: AssignmentRow,
  finding: Omit<RowFinding, 'state'>,
  { live, wanted }: Readonly<{ live: CatalogSource | undefined; wanted: CatalogSource }>,
): Promise<string | undefined> {
  const { planHash: hash = '', planned: to, bundle: from, changes = [] } = finding;
  const kept = fleetPlanNameOf(row, finding);
  if (kept === undefined || to === undefined) return undefined;
  const spec = {
    hash,
    path: [{ ...(from === undefined ? {} : { from }), to, hopHash: hash }],
    changes: [...changes],
    objects: objectsOf(live, wanted),
  };
  const shown = await keepOnce(place, kept, async () => spec, catalogDifferencesOf);
  const differences = widerHash(hash, catalogDifferencesOf(spec), shown ?? []);
  const own = differences === undefined ? undefined : fleetPlanNameOf(row, { ...finding, differences });
  if (own !== undefined) await keepOnce(place, own, async () => spec, catalogDifferencesOf);
  return differences;
}

function objectsOf(live: CatalogSource | undefined, wanted: CatalogSource): FleetPlan['spec']['objects'] {
  const { namespace, name } = wanted.metadata;
  const what = `CatalogSource ${namespace}/${name}`;
  if (live === undefined) return { created: [`${what} ${wanted.spec.image}`], changed: [], deleted: [] };
  const lines = changedFields({ spec: wanted.spec }, { spec: live.spec });
  return { created: [], changed: [[`${what} changes`, ...lines].join('\n')], deleted: [] };
}
