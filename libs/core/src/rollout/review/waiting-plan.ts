import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';

/** True if a plan brings other ClusterServiceVersions than another one. */
export const bringsOther = (plan: InstallPlan, other: InstallPlan): boolean => !sameJson(namesIn(plan), namesIn(other));

const namesIn = ({ spec }: InstallPlan): string[] => spec.clusterServiceVersionNames.toSorted(byCodeUnit);

/** Actions for a plan that waits for approval in a cluster. */
type WaitingPlanAct = 'Approve' | 'TakeBack' | 'Refuse';

/**
 * Decides about the waiting plan when the turn of a hop has come (design: fleet.md §3.2; decision 0469). All
 * three arguments are hashes of hops. `waiting` is that of the plan, and `reviewed` that of the hop.
 * `leadsTo` is the catalog's current next hop, undefined if it has none. An older plan keeps its Subscription
 * from being resolved. It is therefore withdrawn if that brings the reviewed hop.
 */
export function actOnWaiting(
  waiting: string,
  reviewed: string | undefined,
  leadsTo: string | undefined,
): WaitingPlanAct {
  if (reviewed === undefined || leadsTo !== reviewed) return 'Refuse';
  return waiting === reviewed ? 'Approve' : 'TakeBack';
}
