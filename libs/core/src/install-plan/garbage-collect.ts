import type { InstallPlan } from '../api/install-plan.js';
import { byCodeUnit } from '../canonical/canonical-json.js';

/** How many InstallPlans of a namespace are kept. */
export const KEPT_PLANS = 5;

const oldestFirst = (a: InstallPlan, b: InstallPlan): number =>
  (a.spec.generation ?? 0) - (b.spec.generation ?? 0) ||
  byCodeUnit(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? '');

/**
 * The plans to delete, oldest generation first: all but the newest five. OLM looks at ten in the order of its cache and
 * so may delete a newer one first, and takes several passes; the set that is left in the end is this one.
 * Spec: install-plans.md §9.
 */
export const plansToDelete = (plans: readonly InstallPlan[]): InstallPlan[] =>
  plans.length <= KEPT_PLANS ? [] : plans.toSorted(oldestFirst).slice(0, plans.length - KEPT_PLANS);
