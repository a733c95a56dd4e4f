import { changedFields } from '#core/fleet/plan-review/changed-fields';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { classOf } from './live-cluster.js';
import type { OrderPlace, RowFinding } from './order-place.js';

const FLEET_PLAN = { apiVersion: FLEET_API, kind: 'FleetPlan' } as const;

/**
 * Keeps what a class of a roll-out of a Staged FleetCatalog changes, as FleetPlans of operators do: the first
 * cluster in which the class is found makes it, and nothing changes it (decision 0356). What the content
 * brings is in the plans of the operators.
 */
export async function keepCatalogPlan(
  { hub, keptPlans }: OrderPlace,
  row: AssignmentRow,
  finding: RowFinding,
  { live, wanted }: Readonly<{ live: CatalogSource | undefined; wanted: CatalogSource }>,
): Promise<void> {
  const isReviewed = row.order === 'Preview' || row.order === 'Go';
  const { planHash: hash, planned: to, bundle: from, changes = [] } = finding;
  if (!isReviewed || row.rollout === undefined || hash === undefined || to === undefined) return;
  // A roll-out of another digest has its own classes.
  if (row.target?.bundle !== to) return;
  const [namespace, rollout = ''] = row.rollout.split('/');
  const name = `${rollout}-${classOf(finding)}`;
  const key = `${namespace}/${name}`;
  if (keptPlans?.has(key) === true) return;
  const spec: Partial<FleetPlan['spec']> = {
    hash,
    path: [{ ...(from === undefined ? {} : { from }), to, hopHash: hash }],
    changes: [...changes],
    objects: objectsOf(live, wanted),
  };
  try {
    if ((await hub.get({ ...FLEET_PLAN, name, namespace })) === undefined) {
      await hub.create({ ...FLEET_PLAN, metadata: { name, namespace }, spec });
    }
  } catch (error) {
    // Another cluster of the class was first.
    if (!KubeApiError.is(error, 'AlreadyExists')) throw error;
  }
  keptPlans?.add(key);
}

function objectsOf(live: CatalogSource | undefined, wanted: CatalogSource): FleetPlan['spec']['objects'] {
  const { namespace, name } = wanted.metadata;
  const what = `CatalogSource ${namespace}/${name}`;
  if (live === undefined) return { created: [`${what} ${wanted.spec.image}`], changed: [], deleted: [] };
  const lines = changedFields({ spec: wanted.spec }, { spec: live.spec });
  return { created: [], changed: [[`${what} changes`, ...lines].join('\n')], deleted: [] };
}
