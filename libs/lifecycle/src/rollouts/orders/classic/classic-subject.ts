import { z } from 'zod';
import { forgottenMove } from '#core/classic/install-plan/plan/plan-moves';
import { manifestOf } from '#core/classic/install-plan/steps/step-manifest';
import { operatorNotUpgradeable } from '#core/classic/operator-condition/upgradeable';
import { type DeniedMark, deniedIn } from '#core/cluster/marks/fleet-marks';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { type AssignmentRow, MOST_DENIED } from '#core/kernel/api/fleet/fleet-assignment';
import { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { type FleetOperator, FleetOperatorStatus } from '#core/kernel/api/fleet/fleet-operator';
import { INSTALL_PLAN_API, InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_CONDITION_API, OperatorCondition } from '#core/kernel/api/operator-condition';
import { SUBSCRIPTION_API, Subscription } from '#core/kernel/api/subscription';
import { NOT_OFFERED, VERSION_NOT_ALLOWED } from '#core/rollout/controller/facts/report-reasons';
import { type DesiredClassic, desiredClassic, specHash } from '#core/rollout/desired/desired-classic';
import { objectAsApplied } from '#core/rollout/desired/drift';
import { type SubscriptionChanges, subscriptionChanges } from '#core/rollout/desired/subscription-changes';
import { allowedHops } from '#core/rollout/review/allowed-path';
import { hopHash, type SubscriptionMove } from '#core/rollout/review/hop-hash';
import { pathChanges } from '#core/rollout/review/plan-changes';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { endOf, type PlannedHop, type PlannedThere } from '../../previews/planned-there.js';
import type { OrderCluster, OrderPreviews, PlanningPlace } from '../place/order-place.js';
import { type OrderPlace } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { deprecatedFact, hashesOf, isOfFleet, versionsHash } from '../subject/fleet-subject.js';
import { withGroupChange } from './adopted-group.js';
import { type PathFrom, pathFrom } from './path-from.js';

/** The Subscription of a FleetOperator in one cluster, and the plan that its OLM has made last. */
export type ClassicSubject = Readonly<{
  operator: FleetOperator;
  subscription: Subscription;
  plan: InstallPlan | undefined;
  moves: readonly SubscriptionMove[];
  /** True while Subscriptions that the plan moves do not refer to it yet: not all of its purpose is known. */
  isBeingMade: boolean;
  isSucceeded: boolean;
  /** Hash of the spec of the objects that the fleet has created for it. Undefined if it has created none. */
  specHash: string | undefined;
  /** Desired objects in the cluster. Undefined if they are not known. */
  desired: DesiredClassic | undefined;
  /** Fields of the Subscription that would change. Undefined if the fleet may not change it. */
  changes: SubscriptionChanges | undefined;
  /** The reason why the installed operator must not be upgraded now. */
  refusal: string | undefined;
  /** Bundles that are not installed here again. */
  denied: readonly DeniedMark[];
}>;

const FLEET_CATALOG = { apiVersion: FLEET_API, kind: 'FleetCatalog' } as const;
/** There is nothing to plan with yet. */
export const NOT_SUBSCRIBED = 'NotSubscribed';

/** Every Subscription of a namespace. */
export async function subscriptionsIn(client: KubeClient, namespace: string): Promise<Subscription[]> {
  const list = await client.list(SUBSCRIPTION_API, { namespace });
  return (list?.items ?? []).flatMap((item) => Subscription.safeParse({ ...item, ...SUBSCRIPTION_API }).data ?? []);
}

/** The Subscription of a FleetOperator with its newest plan, or why there is nothing to plan with. */
export async function findSubject(
  { hub, cluster }: Pick<OrderPlace, 'hub' | 'cluster'>,
  operator: FleetOperator,
): Promise<ClassicSubject | string> {
  const { client } = cluster;
  const { package: wanted, namespace } = operator.spec;
  const all = await subscriptionsIn(client, namespace);
  const subscription = all.find(({ spec }) => spec.name === wanted);
  if (subscription === undefined) return NOT_SUBSCRIBED;
  const isOurs = isOfFleet(subscription, operator);
  if (subscription.spec.installPlanApproval !== 'Manual' && !isOurs && !operator.spec.adopt) {
    return `Subscription ${namespace}/${subscription.metadata.name} approves its plans automatically: set installPlanApproval: Manual`;
  }
  const plan = await newestPlan(client, subscription);
  const denied = deniedIn(subscription, versionsHash(operator));
  const isSucceeded = await isInstalled(client, namespace, subscription.status?.installedCSV);
  const there = await desiredIn(hub, operator, cluster.globalCatalogNamespace);
  const desired = typeof there === 'object' ? there : undefined;
  const mayChange = isOurs || operator.spec.adopt;
  const changes =
    desired && mayChange
      ? await withGroupChange(client, subscriptionChanges(asOf(cluster, subscription, isOurs), desired), desired)
      : undefined;
  const isMade = isOurs || (changes !== undefined && changes.kinds.length > 0);
  const made = isMade && desired ? specHash(desired) : undefined;
  const mayBegin = plan !== undefined && !plan.spec.approved;
  const installed = subscription.status?.installedCSV;
  const refusal = mayBegin ? await refusalOf(client, namespace, installed) : undefined;
  const moved = { plan, moves: movesOf(plan, all), isBeingMade: isBeingMade(plan, all) };
  const found = { operator, subscription, ...moved, isSucceeded, refusal, denied };
  return { ...found, specHash: made, desired, changes };
}

const asOf = (cluster: OrderCluster, subscription: Subscription, isOurs: boolean): Subscription =>
  isOurs ? asLeft(cluster, subscription) : subscription;

/** Returns the Subscription as the fleet left it: later changes by others are drift, and start no rollout. */
function asLeft({ client, notes }: OrderCluster, subscription: Subscription): Subscription {
  const live = subscription as KubernetesObject;
  const applied = notes.isForged(client.cluster, live) ? undefined : objectAsApplied(live);
  const spec = applied?.['spec'] as Partial<Subscription['spec']> | undefined;
  return spec === undefined ? subscription : { ...subscription, spec: { ...subscription.spec, ...spec } };
}

/** Returns the desired objects of a FleetOperator in the cluster, or the reason why they are not known. */
export async function desiredIn(
  hub: KubeClient,
  operator: FleetOperator,
  globalCatalogNamespace: string,
): Promise<DesiredClassic | string> {
  const name = operator.spec.catalog.fleetCatalog;
  const { namespace } = operator.metadata;
  const found = name === undefined ? undefined : await hub.get({ ...FLEET_CATALOG, name, namespace });
  return desiredClassic(operator, { globalCatalogNamespace, catalog: FleetCatalog.safeParse(found).data });
}

/**
 * Returns the reason in the OperatorCondition why the installed operator must not be upgraded now. Undefined
 * if it may be.
 */
export async function refusalOf(
  client: KubeClient,
  namespace: string,
  name: string | undefined,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const found = await client.get({ ...OPERATOR_CONDITION_API, name, namespace });
  return operatorNotUpgradeable(OperatorCondition.safeParse(found).data);
}

/** The plan that a Subscription refers to. */
export async function newestPlan(client: KubeClient, { metadata, status }: Subscription) {
  const name = status?.installPlanRef?.name;
  if (name === undefined) return undefined;
  return InstallPlan.safeParse(await client.get({ ...INSTALL_PLAN_API, name, namespace: metadata.namespace })).data;
}

/** The Subscriptions that a plan moves, as far as their statuses show it. */
export function movesOf(plan: InstallPlan | undefined, all: readonly Subscription[]): SubscriptionMove[] {
  const named = new Set(plan?.spec.clusterServiceVersionNames);
  return all.flatMap(({ metadata, status }) =>
    status?.currentCSV !== undefined && named.has(status.currentCSV)
      ? [{ subscription: metadata.name ?? '', from: status.installedCSV ?? null, to: status.currentCSV }]
      : [],
  );
}

/** A plan is written before the Subscriptions that it moves, and these one after the other. */
export const isBeingMade = (plan: InstallPlan | undefined, all: readonly Subscription[]): boolean =>
  plan !== undefined && all.some((one) => forgottenMove(one, [plan]) !== undefined);

/** True if a CSV is there and Succeeded. */
export async function isInstalled(client: KubeClient, namespace: string, name: string | undefined): Promise<boolean> {
  if (name === undefined) return false;
  const csv = await client.get({ ...CSV_API, name, namespace });
  return (csv as { status?: { phase?: string } } | undefined)?.status?.phase === 'Succeeded';
}

/** Returns the facts about the installed version. */
export function installedFacts({
  subscription,
  isSucceeded,
  denied,
  refusal,
}: ClassicSubject): Omit<RowFinding, 'state'> {
  const { installedCSV, conditions } = subscription.status ?? {};
  return {
    ...(installedCSV === undefined ? {} : { bundle: installedCSV }),
    ...deprecatedFact(conditions),
    ...(denied.length === 0 ? {} : { denied: denied.map(({ versions: _versions, ...one }) => one) }),
    ...(refusal === undefined ? {} : { notUpgradeable: true }),
    healthy: isSucceeded,
  };
}

/** The reported facts of a subject. `isUndecided`: the plan there is not known yet. */
export type DecidedFacts = Readonly<{ facts: Omit<RowFinding, 'state'>; isUndecided: boolean }>;

/** Access to the place in which the plan for a subject is found. */
type FactsPlace = Omit<PlanningPlace, 'hub'>;

/**
 * Returns the installed version, the version that the plan waiting for approval would bring, and the versions
 * after it.
 */
export async function factsOf(
  subject: ClassicSubject,
  place: FactsPlace,
  row: Pick<AssignmentRow, 'order' | 'target' | 'attempt' | 'result'>,
): Promise<DecidedFacts> {
  const { subscription, plan, moves } = subject;
  const { installedCSV, currentCSV } = subscription.status ?? {};
  const installed = installedFacts(subject);
  // Another attempt would recreate a failed plan.
  const isOpen = plan !== undefined && (!plan.spec.approved || plan.status?.phase === 'Failed');
  if (!isOpen || currentCSV === undefined) {
    return { facts: { ...installed, ...(await leftOnTheWay(place.previews, subject, row)) }, isUndecided: false };
  }
  // A pass follows once the last of them is written.
  if (subject.isBeingMade) return { facts: installed, isUndecided: true };
  const { order, target } = row;
  // On the way the path is the one that was ordered.
  const at = order === 'Go' ? target?.hops.indexOf(hopHash(plan, moves, place.cluster.globalCatalogNamespace)) : 0;
  if (at !== undefined && at > 0) return { facts: installed, isUndecided: false };
  const first = { plan, moves, from: installedCSV, to: currentCSV };
  const isAlone = installedCSV === undefined || (order === 'Go' && target?.hops.length === 1);
  const path = isAlone ? { hops: [first] as const } : await pathFrom(place, subject.desired, first);
  if ('waits' in path) {
    const message = order === 'Go' ? {} : { message: reportText(path.waits) };
    return { facts: { ...installed, ...message }, isUndecided: true };
  }
  return { facts: pathFacts(place, subject, path), isUndecided: false };
}

function pathFacts(
  place: FactsPlace,
  subject: ClassicSubject,
  path: Exclude<PathFrom, { waits: string }>,
): Omit<RowFinding, 'state'> {
  if ('withdrawn' in path) {
    return { ...installedFacts(subject), reason: NOT_OFFERED, message: reportText(path.withdrawn) };
  }
  const { subscription, specHash: made } = subject;
  const { name = '' } = subscription.metadata;
  const planned = { ...path, subscription: name, specHash: made, asked: subscription.spec };
  return withDenied(subject, plannedFacts(place, subject, planned));
}

/**
 * Returns the facts of a cluster that a rollout has begun with, or rolled back: its catalog leads no further
 * any more.
 */
async function leftOnTheWay(
  { checkEnd }: OrderPreviews,
  { subscription, isSucceeded }: ClassicSubject,
  { order, attempt, result }: Pick<AssignmentRow, 'order' | 'attempt' | 'result'>,
): Promise<Omit<RowFinding, 'state' | 'healthy'>> {
  const { installedCSV } = subscription.status ?? {};
  const mayBeTriedAgain = (order === 'Preview' && attempt > 0) || (order === 'Rest' && result === 'RolledBack');
  if (!mayBeTriedAgain || !isSucceeded || installedCSV === undefined) return {};
  if ((await checkEnd?.(subscription)) !== true) return {};
  return { reason: NOT_OFFERED, message: reportText(`the catalog no longer has an upgrade from ${installedCSV}`) };
}

/** Adds the versions that are denied there already. */
export function withDenied(subject: ClassicSubject, facts: Omit<RowFinding, 'state'>): Omit<RowFinding, 'state'> {
  const installed = installedFacts(subject);
  const all = [...(installed.denied ?? []), ...(facts.denied ?? [])];
  return { ...installed, ...facts, ...(all.length === 0 ? {} : { denied: all.slice(-MOST_DENIED) }) };
}

/** The parts of a subject that decide how far a path may lead. */
type PathGate = Pick<ClassicSubject, 'operator' | 'denied'>;

/**
 * Returns the reported facts of a path, as far as the cluster may take it. Without a target if it may take
 * none.
 */
export function plannedFacts(
  { cluster, plans }: Pick<PlanningPlace, 'cluster' | 'plans'>,
  { operator, denied }: PathGate,
  there: PlannedThere & Readonly<{ ends?: string }>,
): Omit<RowFinding, 'state'> {
  const [first, ...others] = there.hops;
  const stopOf = ({ plan, to }: PlannedHop) => ({ to, version: versionIn(plan, to) });
  const status = FleetOperatorStatus.safeParse(operator.status).data;
  const rules = {
    versions: operator.spec.versions,
    denied: [...denied, ...(status?.denied ?? [])],
    lifted: plans.lifted,
  };
  const allowed = allowedHops([stopOf(first), ...others.map(stopOf)], rules);
  if ('refused' in allowed) {
    const message = reportText(`${first.to} is not installed here: ${allowed.refused}`);
    return { reason: VERSION_NOT_ALLOWED, message, denied: [{ bundle: first.to, scope: 'Cluster' }] };
  }
  const path = { ...there, hops: [first, ...others.slice(0, allowed.hops - 1)] as const };
  const hashes = hashesOf(
    path.hops.map(({ plan, moves }) => hopHash(plan, moves, cluster.globalCatalogNamespace)),
    there.specHash,
  );
  plans.note(hashes.planHash, path);
  const planned = endOf(path);
  const isWhole = path.hops.length === there.hops.length;
  const ends = isWhole && there.ends !== undefined ? `the upgrade path ends at ${planned}: ${there.ends}` : undefined;
  const changeOf = ({ plan, ...hop }: PlannedHop) => ({ ...hop, bundles: plan.spec.clusterServiceVersionNames });
  const changes = pathChanges([changeOf(first), ...path.hops.slice(1).map(changeOf)]);
  return { planned, ...hashes, changes, ...(ends === undefined ? {} : { message: reportText(ends) }) };
}

const VersionOf = z.object({ spec: z.object({ version: z.string() }) });

/** The version of a bundle as its CSV in the plan has it. */
function versionIn({ status }: InstallPlan, bundle: string): string | undefined {
  const step = status?.plan?.find((one) => one?.resource.kind === CSV_API.kind && one.resource.name === bundle);
  const manifest = step ? manifestOf(step) : undefined;
  if (manifest === undefined || !('object' in manifest)) return undefined;
  return VersionOf.safeParse(manifest.object).data?.spec.version;
}
