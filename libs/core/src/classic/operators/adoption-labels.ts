import type { Action } from '../../kernel/actions/action.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { ownedCrds } from '../../kernel/api/csv-facts.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { type KubernetesObject, refOf } from '../../kernel/api/kubernetes-object.js';
import { csvOwnerLabels, hasLabels, isOwnedBy } from '../../kernel/api/owner-labels.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { componentLabel } from './component-label.js';

/** Objects that may belong to a CSV. Objects of lists must carry apiVersion and kind. */
type PartsWorld = Readonly<{
  /** Objects of the CSV's namespace, and cluster-scoped ones. */
  candidates: readonly KubernetesObject[];
  crds: ReadonlyMap<string, KubernetesObject>;
}>;

/** The input of adoption for one Subscription. */
type AdoptionWorld = PartsWorld &
  Readonly<{
    /** The CSV named by status.installedCSV, if it exists. */
    csv: ClusterServiceVersion | undefined;
    /** InstallPlans of the namespace, but for those that another Subscription of the package refers to. */
    plans: readonly InstallPlan[];
  }>;

/**
 * Puts the component label on a Subscription, its installed CSV, its newest plan, everything the CSV owns and
 * the CRDs it provides. Takes it off older plans. A Subscription without a plan leaves plans unchanged.
 * Returns no action if all is in place (spec: csv-lifecycle.md §12).
 */
export function adoptionLabels(subscription: Subscription, world: AdoptionWorld): readonly Action[] {
  const label = componentLabel(subscription.spec.name, subscription.metadata.namespace ?? '');
  const newest = subscription.status?.installPlanRef?.name;
  const plans = world.plans.filter(({ metadata }) => metadata.name === newest);
  const older = newest === undefined ? [] : world.plans.filter(({ metadata }) => metadata.name !== newest);
  const adopted = [subscription, ...plans, ...(world.csv === undefined ? [] : [world.csv])];
  return [
    ...missing(adopted, label),
    ...(world.csv === undefined ? [] : partLabels(world.csv, label, world)),
    ...older.filter((one) => isLabelled(one, label)).map((one) => patch(one, label, null)),
  ];
}

/**
 * Returns the labels that are missing on the parts of a labelled CSV, with or without a Subscription for it.
 */
export function partLabels(
  csv: ClusterServiceVersion,
  label: string,
  { candidates, crds }: PartsWorld,
): readonly Action[] {
  const provided = ownedCrds(csv).flatMap(({ name }) => crds.get(name) ?? []);
  return missing([...candidates.filter((one) => belongsTo(one, csv)), ...provided], label);
}

const missing = (objects: readonly KubernetesObject[], label: string): readonly Action[] =>
  objects.filter((one) => !isLabelled(one, label)).map((one) => patch(one, label, ''));

const belongsTo = (object: KubernetesObject, csv: ClusterServiceVersion): boolean =>
  isOwnedBy(object, csv) || hasLabels(object, csvOwnerLabels(csv));

const isLabelled = (object: KubernetesObject, label: string): boolean => object.metadata.labels?.[label] !== undefined;

const patch = (object: KubernetesObject, label: string, value: '' | null): Action => ({
  do: 'patch',
  ref: refOf(object),
  patch: { metadata: { labels: { [label]: value } } },
});
