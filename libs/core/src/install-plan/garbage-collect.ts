import type { InstallPlan } from '../api/install-plan.js';
import { byCodeUnit } from '../canonical/canonical-json.js';

/** How many InstallPlans of a namespace are kept. */
export const KEPT_PLANS = 5;

const oldestFirst = (a: InstallPlan, b: InstallPlan): number =>
  (a.spec.generation ?? 0) - (b.spec.generation ?? 0) ||
  byCodeUnit(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? '');

/** Waits for approval, or is being executed. */
const isOpen = ({ status }: InstallPlan): boolean =>
  status === undefined || ['', 'Planning', 'RequiresApproval', 'Installing'].includes(status.phase);

/**
 * The plans to delete, oldest generation first: all but the newest five, and but those that are open and that a
 * Subscription waits for (`awaited`, by name): with isolation there may be many of these at a time, and deleting one would
 * only have it made again. OLM looks at ten in the order of its cache and so may delete a newer one first, and takes
 * several passes; but for plans that are awaited, the set that is left in the end is this one. Spec: install-plans.md §9.
 */
export function plansToDelete(plans: readonly InstallPlan[], awaited: ReadonlySet<string>): InstallPlan[] {
  if (plans.length <= KEPT_PLANS) return [];
  const old = plans.toSorted(oldestFirst).slice(0, plans.length - KEPT_PLANS);
  return old.filter((plan) => !isOpen(plan) || !awaited.has(plan.metadata.name ?? ''));
}
