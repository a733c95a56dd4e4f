import { crdsOf, neededByPlan, openSteps, refuseUncovered } from '#core/classic/install-plan/execution/needed-by-plan';
import { usesOwnRights } from '#core/classic/install-plan/execution/step-install-plan';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import { type OwnRights, userOf } from '#platform/joining/own-rights';
import type { ReferencedBundles } from '../bundles/referenced-bundles.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import type { Executed } from './execute-steps.js';

/** `isTenant`: the OperatorGroup names a ServiceAccount, which writes most of the steps. */
type UncoveredOptions = Readonly<{
  rights: OwnRights;
  bundles: Pick<ReferencedBundles, 'whole'>;
  isTenant: boolean;
}>;

/**
 * Refuses a plan with kinds that the hub's own login may not write, before any step is applied. Returns no
 * outcome for other plans.
 */
export async function refuseUncoveredKinds(
  { client, reader, now }: NamespaceStageInput,
  plan: InstallPlan,
  { rights, bundles, isTenant }: UncoveredOptions,
): Promise<Executed> {
  if (await rights.mayDoEverything(client, now)) return { outcomes: new Map() };
  const open = openSteps(plan).filter((step) => !isTenant || usesOwnRights(step));
  const wholes = await Promise.all(open.map(async (step) => ({ step, found: await bundles.whole(step) })));
  const fetching = wholes.flatMap(({ found }) => ('stillFetching' in found ? found.stillFetching : []));
  if (fetching.length > 0) return { outcomes: new Map(), stillFetching: [...new Set(fetching)] };
  const steps = wholes.map(({ step, found }) => ('step' in found ? found.step : step));
  const crds = await Promise.all(crdsOf(steps).map((name) => reader.get({ ...KIND.CustomResourceDefinition, name })));
  const there = new Set(crds.flatMap((crd) => crd?.metadata.name ?? []));
  const needed = neededByPlan(steps, plan.metadata.namespace ?? '', (name) => there.has(name));
  const refused = await rights.refused(client, needed, now);
  return { outcomes: refused.length === 0 ? new Map() : refuseUncovered(plan, await userOf(client), refused) };
}
