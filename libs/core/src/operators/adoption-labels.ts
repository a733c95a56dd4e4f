import type { Action } from '../actions/action.js';
import type { ClusterServiceVersion } from '../api/cluster-service-version.js';
import type { InstallPlan } from '../api/install-plan.js';
import { type KubernetesObject, refOf } from '../api/kubernetes-object.js';
import type { Subscription } from '../api/subscription.js';
import { ownedCrds } from '../csv/csv-facts.js';
import { csvOwnerLabels, hasLabels, isOwnedBy } from '../csv/owner-labels.js';
import { componentLabel } from './component-label.js';

/** What adoption looks at for one Subscription. Objects of lists must carry apiVersion and kind. */
export type AdoptionWorld = Readonly<{
  /** The CSV named by status.installedCSV, where it is there. */
  csv: ClusterServiceVersion | undefined;
  /** InstallPlans of the namespace. */
  plans: readonly InstallPlan[];
  /** Objects that may belong to the CSV: of the namespace, and cluster-scoped ones. */
  candidates: readonly KubernetesObject[];
  crds: ReadonlyMap<string, KubernetesObject>;
}>;

/**
 * Puts the component label on a Subscription, its installed CSV, its newest plan, everything the CSV owns and the CRDs
 * it provides; takes it off older plans. Nothing where all is in place (spec: csv-lifecycle.md §12).
 */
export function adoptionLabels(subscription: Subscription, world: AdoptionWorld): readonly Action[] {
  const label = componentLabel(subscription.spec.name, subscription.metadata.namespace ?? '');
  const { csv, crds } = world;
  const newest = subscription.status?.installPlanRef?.name;
  const parts = csv === undefined ? [] : [csv, ...world.candidates.filter((one) => belongsTo(one, csv))];
  const provided = csv === undefined ? [] : ownedCrds(csv).flatMap(({ name }) => crds.get(name) ?? []);
  const plans = world.plans.filter(({ metadata }) => metadata.name === newest);
  const older = world.plans.filter(({ metadata }) => metadata.name !== newest);
  const missing = [subscription, ...plans, ...parts, ...provided].filter((one) => !isLabelled(one, label));
  return [
    ...missing.map((one) => patch(one, label, '')),
    ...older.filter((one) => isLabelled(one, label)).map((one) => patch(one, label, null)),
  ];
}

const belongsTo = (object: KubernetesObject, csv: ClusterServiceVersion): boolean =>
  isOwnedBy(object, csv) || hasLabels(object, csvOwnerLabels(csv));

const isLabelled = (object: KubernetesObject, label: string): boolean => object.metadata.labels?.[label] !== undefined;

const patch = (object: KubernetesObject, label: string, value: '' | null): Action => ({
  do: 'patch',
  ref: refOf(object),
  patch: { metadata: { labels: { [label]: value } } },
});
