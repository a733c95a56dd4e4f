import type { Action } from '../../kernel/actions/action.js';
import { type ClusterServiceVersion, CSV_API } from '../../kernel/api/cluster-service-version.js';
import { csvName, isCopied } from '../../kernel/api/csv-facts.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { SUBSCRIPTION_API, type Subscription } from '../../kernel/api/subscription.js';
import { hasDeployment, takenBack } from './replan.js';
import { changeTo, type SubscriptionChange } from './subscription-change.js';

/** The objects in the namespace of the Subscriptions. */
type Around = Readonly<{ csvs: readonly ClusterServiceVersion[]; plans: readonly InstallPlan[] }>;

/** A Subscription with a missing plan, while the ClusterServiceVersion of that plan waits for the rest. */
type LostPlan = Readonly<{ subscription: Subscription; plan: string; csv: ClusterServiceVersion }>;

/** Phases that a ClusterServiceVersion enters once its requirements were met. */
const WAS_MET: ReadonlySet<string> = new Set(['InstallReady', 'Installing', 'Succeeded', 'Replacing', 'Deleting']);
/** Requirements that a plan brings: its CRDs, and its service accounts with their rights. */
const BROUGHT: ReadonlySet<string> = new Set(['CustomResourceDefinition', 'ServiceAccount']);
const MET: ReadonlySet<string> = new Set(['Present', 'DeploymentFound']);

/**
 * True if a ClusterServiceVersion has never been installed, and waits for something that InstallPlans bring.
 * A version that was installed and lost a requirement stays: its operator may still run.
 */
export function waitsForPlan(csv: ClusterServiceVersion): boolean {
  const { phase, reason, conditions = [], requirementStatus = [] } = csv.status ?? {};
  if (isCopied(csv) || phase !== 'Pending' || reason !== 'RequirementsNotMet') return false;
  if (conditions.some((entry) => WAS_MET.has(entry.phase ?? ''))) return false;
  return requirementStatus.some(({ kind, status }) => BROUGHT.has(kind) && !MET.has(status));
}

/**
 * Subscriptions that nothing would bring on: the plan that they refer to was deleted before it had made all
 * that its ClusterServiceVersion needs. No resolution makes another one: the Subscription names that version
 * as installed.
 */
export function lostPlans(subscriptions: readonly Subscription[], { csvs, plans }: Around): readonly LostPlan[] {
  const there = new Set(plans.map(({ metadata }) => metadata.name));
  const planned = new Set(plans.flatMap(({ spec }) => spec.clusterServiceVersionNames));
  return subscriptions.flatMap((subscription) => {
    const { currentCSV, installPlanRef } = subscription.status ?? {};
    const plan = typeof installPlanRef?.name === 'string' ? installPlanRef.name : undefined;
    if (plan === undefined || there.has(plan) || !currentCSV || planned.has(currentCSV)) return [];
    const csv = csvs.find((one) => csvName(one) === currentCSV);
    return csv !== undefined && waitsForPlan(csv) ? [{ subscription, plan, csv }] : [];
  });
}

/** Writes after which the namespace is resolved again, in this order. */
type ReplanOfLost = Readonly<{ deletions: readonly Action[]; changes: readonly SubscriptionChange[] }>;

/**
 * Rolls back lost plans, as {@link replan} does for an existing one: deletes ClusterServiceVersions, and
 * restores the previously installed names in Subscriptions. The deletions come first: the hub's finalizer
 * keeps the objects until the next pass, which finds them waiting and completes an interrupted one. A
 * ClusterServiceVersion with a Deployment stays.
 */
export function replanLost(
  lost: readonly LostPlan[],
  {
    csvs,
    deployments,
  }: Readonly<{ csvs: Around['csvs']; deployments: readonly Parameters<typeof hasDeployment>[1][] }>,
  now: string,
): ReplanOfLost {
  const own = csvs.filter((csv) => !isCopied(csv));
  const going = lost.filter(({ csv }) => !deployments.some((one) => hasDeployment(csv, one)));
  const changes = going.map(({ subscription, csv }) =>
    changeTo(subscription, takenBack(subscription, csv.spec.replaces ?? '', own), now),
  );
  const deletions = going.flatMap(({ subscription, plan, csv }) => [eventOf(subscription, plan, csv), deletionOf(csv)]);
  return { deletions, changes };
}

const deletionOf = ({ metadata: { name = '', namespace, uid } }: ClusterServiceVersion): Action => ({
  do: 'delete',
  ref: { ...CSV_API, name, namespace },
  propagation: 'Background',
  uid,
});

const eventOf = (
  { metadata: { name = '', namespace, uid } }: Subscription,
  plan: string,
  csv: ClusterServiceVersion,
): Action => ({
  do: 'emitEvent',
  about: { ...SUBSCRIPTION_API, name, namespace, uid },
  type: 'Warning',
  reason: 'InstallPlanMissing',
  message:
    `InstallPlan ${plan} is gone, and ClusterServiceVersion ${csvName(csv)} waits for its objects: ` +
    'the namespace is resolved again, and another plan is created',
});
