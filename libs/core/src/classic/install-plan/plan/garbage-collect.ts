import type { InstallPlan } from '../../../kernel/api/install-plan.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';

/** Number of InstallPlans kept in a namespace. */
const KEPT_PLANS = 5;

const oldestFirst = (a: InstallPlan, b: InstallPlan): number =>
  (a.spec.generation ?? 0) - (b.spec.generation ?? 0) ||
  byCodeUnit(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? '');

/** Waits for approval, or is being executed. */
const isOpen = ({ status }: InstallPlan): boolean =>
  status === undefined || ['', 'Planning', 'RequiresApproval', 'Installing'].includes(status.phase);

type PlansInUse = Readonly<{
  /** The plans that Subscriptions refer to, by name. */
  referred: ReadonlySet<string>;
  /** True if each Subscription has plans of its own. */
  isolated: boolean;
  /** The ClusterServiceVersions that wait for objects of plans, by name. */
  waiting: ReadonlySet<string>;
}>;

/**
 * The plans to delete, oldest generation first: all but the newest five. A plan that a Subscription or its
 * ClusterServiceVersion waits for stays: it would only be made again. With isolation every plan that a
 * Subscription refers to stays too, because there may be many at a time. OLM takes ten plans in the order of
 * its cache, so it may delete a newer one first, and needs several passes; but for plans in use, the set that
 * is left in the end is this one. Spec: install-plans.md §9.
 */
export function plansToDelete(
  plans: readonly InstallPlan[],
  { referred, isolated, waiting }: PlansInUse,
): InstallPlan[] {
  const isAwaited = ({ spec }: InstallPlan) => spec.clusterServiceVersionNames.some((name) => waiting.has(name));
  if (plans.length <= KEPT_PLANS) return [];
  const old = plans.toSorted(oldestFirst).slice(0, plans.length - KEPT_PLANS);
  const isInUse = (plan: InstallPlan) => isolated || isOpen(plan) || isAwaited(plan);
  return old.filter((plan) => !referred.has(plan.metadata.name ?? '') || !isInUse(plan));
}
