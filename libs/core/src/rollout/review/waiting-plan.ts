import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';

/** Whether a plan brings other ClusterServiceVersions than another one. */
export const bringsOther = (plan: InstallPlan, other: InstallPlan): boolean => !sameJson(namesIn(plan), namesIn(other));

const namesIn = ({ spec }: InstallPlan): string[] => spec.clusterServiceVersionNames.toSorted(byCodeUnit);

/** What is done about a plan that waits for approval in a cluster. */
type WaitingPlanAct = 'Approve' | 'TakeBack' | 'Refuse';

/**
 * What is done about the plan that waits when the turn of a hop has come (design: fleet.md §3.2; decision
 * 0469). All three are hashes of hops: `waiting` is that of the plan, `reviewed` that of the hop, `leadsTo`
 * that of what the catalog leads to now, undefined where it leads nowhere. An older plan keeps its
 * Subscription from being resolved, so it is taken back where that brings what was reviewed.
 */
export function actOnWaiting(
  waiting: string,
  reviewed: string | undefined,
  leadsTo: string | undefined,
): WaitingPlanAct {
  if (reviewed === undefined || leadsTo !== reviewed) return 'Refuse';
  return waiting === reviewed ? 'Approve' : 'TakeBack';
}
