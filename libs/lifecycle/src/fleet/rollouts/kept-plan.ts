import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { classOf } from './live-cluster.js';
import type { OrderPlace, RowFinding } from './order-place.js';

const FLEET_PLAN = { apiVersion: FLEET_API, kind: 'FleetPlan' } as const;

/** Name and namespace of the FleetPlan of a plan class. */
export type FleetPlanName = Readonly<{ name: string; namespace: string }>;

/** Where the plan of a finding is kept; undefined where its roll-out has none to be reviewed. */
export function fleetPlanNameOf(row: AssignmentRow, finding: Omit<RowFinding, 'state'>): FleetPlanName | undefined {
  const isReviewed = row.order === 'Preview' || row.order === 'Go';
  if (!isReviewed || row.rollout === undefined || finding.planHash === undefined) return undefined;
  // A roll-out of another target has its own classes.
  if (row.target?.bundle !== finding.planned) return undefined;
  const [namespace = '', rollout = ''] = row.rollout.split('/');
  return { name: `${rollout}-${classOf(finding)}`, namespace };
}

/** True if what the target of a row changes is kept already, or need not be. */
export async function isPlanKept(place: OrderPlace, row: AssignmentRow): Promise<boolean> {
  const { bundle: planned, planHash } = row.target ?? {};
  const kept = fleetPlanNameOf(row, {
    ...(planned === undefined ? {} : { planned }),
    ...(planHash === undefined ? {} : { planHash }),
  });
  return kept === undefined || isThere(place, kept);
}

async function isThere({ hub, keptPlans }: OrderPlace, { name, namespace }: FleetPlanName): Promise<boolean> {
  const key = `${namespace}/${name}`;
  if (keptPlans?.has(key) === true) return true;
  if ((await hub.get({ ...FLEET_PLAN, name, namespace })) === undefined) return false;
  keptPlans?.add(key);
  return true;
}

/**
 * Makes the FleetPlan of a class, which the first cluster does in which the class is found, and nothing
 * changes after that (decision 0356). `specOf` gives undefined where another pass is to make it.
 */
export async function keepOnce(
  place: OrderPlace,
  kept: FleetPlanName,
  specOf: () => Promise<Partial<FleetPlan['spec']> | undefined>,
): Promise<void> {
  if (await isThere(place, kept)) return;
  const spec = await specOf();
  if (spec === undefined) return;
  const { name, namespace } = kept;
  try {
    await place.hub.create({ ...FLEET_PLAN, metadata: { name, namespace }, spec });
  } catch (error) {
    // Another cluster of the class was first.
    if (!KubeApiError.is(error, 'AlreadyExists')) throw error;
  }
  place.keptPlans?.add(`${namespace}/${name}`);
}
