import type { CsvStatus } from '../../../kernel/api/cluster-service-version.js';
import type { InstallPlan } from '../../../kernel/api/install-plan.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { CHANGE_ANNOTATION, isChange } from '../../../kernel/change/change-id.js';

/**
 * Returns the change that the plan is part of. Undefined if the hub did not make it. Users may write the
 * annotation: a value that does not have the form of a name is ignored.
 */
export function changeOfPlan({ metadata }: Pick<InstallPlan, 'metadata'>): string | undefined {
  const change = metadata.annotations?.[CHANGE_ANNOTATION];
  return change !== undefined && isChange(change) ? change : undefined;
}

/** The newest of the plans that install the ClusterServiceVersion. */
export const planOfCsv = (csv: string, plans: readonly InstallPlan[]): InstallPlan | undefined =>
  plans.filter(({ spec }) => spec.clusterServiceVersionNames.includes(csv)).toSorted(newestFirst)[0];

const newestFirst = (a: InstallPlan, b: InstallPlan): number =>
  byCodeUnit(b.metadata.creationTimestamp ?? '', a.metadata.creationTimestamp ?? '') ||
  byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? '');

/** The phases that a ClusterServiceVersion had so far. */
type Phases = Pick<CsvStatus, 'phase' | 'conditions'>;

/**
 * Seconds from the start of the plan until `now`, when its ClusterServiceVersion becomes Succeeded for the
 * first time. Undefined if it was Succeeded before, or the plan has not started.
 */
export function secondsUntilReady(
  plan: InstallPlan | undefined,
  { phase, conditions = [] }: Phases,
  now: Date,
): number | undefined {
  const started = Date.parse(plan?.status?.startTime ?? '');
  if (Number.isNaN(started)) return undefined;
  if (phase === 'Succeeded' || conditions.some((one) => one.phase === 'Succeeded')) return undefined;
  return Math.max(0, now.getTime() - started) / 1_000;
}
