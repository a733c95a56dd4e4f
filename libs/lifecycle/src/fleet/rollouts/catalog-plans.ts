import { changedFields } from '#core/fleet/plan-review/changed-fields';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { fleetPlanNameOf, keepOnce } from './kept-plan.js';
import type { OrderPlace, RowFinding } from './order-place.js';

/**
 * Keeps what a class of a roll-out of a Staged FleetCatalog changes, as FleetPlans of operators do: the first
 * cluster in which the class is found makes it, and nothing changes it (decision 0356). What the content
 * brings is in the plans of the operators.
 */
export async function keepCatalogPlan(
  place: OrderPlace,
  row: AssignmentRow,
  finding: Omit<RowFinding, 'state'>,
  { live, wanted }: Readonly<{ live: CatalogSource | undefined; wanted: CatalogSource }>,
): Promise<void> {
  const { planHash: hash = '', planned: to, bundle: from, changes = [] } = finding;
  const kept = fleetPlanNameOf(row, finding);
  if (kept === undefined || to === undefined) return;
  await keepOnce(place, kept, async () => ({
    hash,
    path: [{ ...(from === undefined ? {} : { from }), to, hopHash: hash }],
    changes: [...changes],
    objects: objectsOf(live, wanted),
  }));
}

function objectsOf(live: CatalogSource | undefined, wanted: CatalogSource): FleetPlan['spec']['objects'] {
  const { namespace, name } = wanted.metadata;
  const what = `CatalogSource ${namespace}/${name}`;
  if (live === undefined) return { created: [`${what} ${wanted.spec.image}`], changed: [], deleted: [] };
  const lines = changedFields({ spec: wanted.spec }, { spec: live.spec });
  return { created: [], changed: [[`${what} changes`, ...lines].join('\n')], deleted: [] };
}
