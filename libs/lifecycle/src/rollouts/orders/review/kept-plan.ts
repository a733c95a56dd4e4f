import type { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { differencesOf } from '#core/rollout/review/shown-differences';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { FleetPlanName } from '../../assignments/fleet-plan-name.js';
import { fleetPlanNameOf } from '../../assignments/fleet-plan-name.js';
import { OrderMemo } from '../place/order-memo.js';
import type { OrderPlace } from '../place/order-place.js';

const FLEET_PLAN = { apiVersion: FLEET_API, kind: 'FleetPlan' } as const;

/** True if the changes of a row's target are kept already, or need not be. */
export async function isPlanKept(place: PlanShelf, row: AssignmentRow): Promise<boolean> {
  const { bundle: planned, planHash } = row.target ?? {};
  const kept = fleetPlanNameOf(row, {
    ...(planned === undefined ? {} : { planned }),
    ...(planHash === undefined ? {} : { planHash }),
  });
  return kept === undefined || isThere(place, kept);
}

/** The store of FleetPlans, and those that this process knows. */
type PlanShelf = Pick<OrderPlace, 'hub'> & Readonly<{ memo: Pick<OrderMemo, 'keptPlans'> }>;

const keyOf = ({ name, namespace }: FleetPlanName): string => `${namespace}/${name}`;

/** FleetPlans that are remembered; one that comes again is read again. */
const MOST_KEPT = 1_000;

function remember(
  { memo: { keptPlans } }: PlanShelf,
  kept: FleetPlanName,
  shown: readonly string[],
): readonly string[] {
  const [oldest] = keptPlans.keys();
  if (keptPlans.size >= MOST_KEPT && oldest !== undefined) keptPlans.delete(oldest);
  keptPlans.set(keyOf(kept), shown);
  return shown;
}

/** Returns the differences that a FleetPlan shows: none if it cannot be read, undefined without a plan. */
async function shownBy(
  place: PlanShelf,
  kept: FleetPlanName,
  differences = differencesOf,
): Promise<readonly string[] | undefined> {
  const known = place.memo.keptPlans.get(keyOf(kept));
  if (known !== undefined) return known;
  const found = await place.hub.get({ ...FLEET_PLAN, ...kept });
  if (found === undefined) return undefined;
  return remember(place, kept, differences(FleetPlan.safeParse(found).data?.spec ?? {}));
}

const isThere = async (place: PlanShelf, kept: FleetPlanName): Promise<boolean> =>
  (await shownBy(place, kept)) !== undefined;

/**
 * Creates the FleetPlan of a class. The first cluster of the class does so, and nothing changes it after that
 * (why: fleet-rollouts.md "FleetPlans"). `specOf` returns undefined if another pass must create it. Returns
 * the `differences` that the FleetPlan shows, undefined as long as there is none.
 */
export async function keepOnce(
  place: PlanShelf,
  kept: FleetPlanName,
  specOf: () => Promise<Partial<FleetPlan['spec']> | undefined>,
  differences = differencesOf,
): Promise<readonly string[] | undefined> {
  const shown = await shownBy(place, kept, differences);
  if (shown !== undefined) return shown;
  const spec = await specOf();
  if (spec === undefined) return undefined;
  const { name, namespace } = kept;
  try {
    await place.hub.create({ ...FLEET_PLAN, metadata: { name, namespace }, spec });
  } catch (error) {
    // Another cluster of the class was first: its FleetPlan is shown.
    if (!KubeApiError.is(error, 'AlreadyExists')) throw error;
    return (await shownBy(place, kept, differences)) ?? [];
  }
  return remember(place, kept, differences(spec));
}
