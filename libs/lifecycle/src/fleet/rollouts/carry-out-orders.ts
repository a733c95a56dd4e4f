import { hopHash, type SubscriptionMove } from '#core/fleet/plan-class/hop-hash';
import { versionChange } from '#core/fleet/plan-class/plan-changes';
import { type AssignmentReport, type AssignmentRow, FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { ChangeKind } from '#core/kernel/api/fleet/fleet-strategy';
import { INSTALL_PLAN_API, InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { SUBSCRIPTION_API, Subscription } from '#core/kernel/api/subscription';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

/** On a Subscription: what the cluster had before the roll-out that changes it. */
export const PREVIOUS_ANNOTATION = 'fleet.flotilla.dev/previous';
/** On an InstallPlan: the roll-out that approved it, and who approved its class. */
export const APPROVED_BY_ANNOTATION = 'fleet.flotilla.dev/approved-by';

const CSV_API = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' } as const;
const MOST_MESSAGE = 1_024;

/** The cluster where orders are carried out, and the hub API that has them. */
export type OrderPlace = Readonly<{ hub: KubeClient; client: KubeClient; globalCatalogNamespace: string }>;
type Found = Readonly<{
  subscription: Subscription;
  plan: InstallPlan | undefined;
  moves: readonly SubscriptionMove[];
  isSucceeded: boolean;
}>;

/**
 * Carries out what the FleetAssignment of a cluster says, and reports what the cluster has. Repeatable: what
 * is done already is found, and only reported.
 */
export async function carryOutOrders(place: OrderPlace): Promise<void> {
  const { hub, client } = place;
  const stored = await hub.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: client.cluster });
  const assignment = stored === undefined ? undefined : FleetAssignment.safeParse(stored).data;
  if (stored === undefined || assignment === undefined) return;
  const before = assignment.status?.rows ?? [];
  const rows: AssignmentReport[] = [];
  for (const row of assignment.spec.rows) {
    rows.push(
      await carryOut(
        place,
        row,
        before.find(({ subject }) => subject === row.subject),
      ),
    );
  }
  if (canonicalJson(rows) === canonicalJson(before)) return;
  try {
    await hub.updateStatus({ ...stored, status: { ...assignment.status, rows } } as KubernetesObject);
  } catch (error) {
    // The orders have changed in between: the next pass reports.
    if (!(error instanceof KubeApiError && error.reason === 'Conflict')) throw error;
  }
}

async function carryOut(
  place: OrderPlace,
  row: AssignmentRow,
  before: AssignmentReport | undefined,
): Promise<AssignmentReport> {
  const common = { subject: row.subject, ...(row.rollout === undefined ? {} : { rollout: row.rollout }) };
  const report = (state: AssignmentReport['state'], more: Partial<AssignmentReport> = {}): AssignmentReport => ({
    ...common,
    attempt: row.attempt,
    state,
    changes: [],
    hop: 0,
    healthy: false,
    gates: [],
    drift: false,
    ...more,
  });
  const found = await findSubscription(place, row.subject);
  if (typeof found === 'string') return report('Planning', { message: found });
  const facts = factsOf(found, place);
  if (row.order === 'Preview') return report('Planned', facts);
  if (row.order === 'Return') return report('Failed', { ...facts, reason: 'ContentGone', hop: before?.hop ?? 0 });
  return { ...report('Running', facts), ...(await go(place, row, found, before)) };
}

/** What is installed, and what the plan that waits for approval would bring. */
function factsOf({ subscription, plan, moves, isSucceeded }: Found, place: OrderPlace): Partial<AssignmentReport> {
  const { installedCSV, currentCSV } = subscription.status ?? {};
  const installed = { ...(installedCSV === undefined ? {} : { bundle: installedCSV }), healthy: isSucceeded };
  if (plan === undefined || plan.spec.approved || currentCSV === undefined) return installed;
  return {
    ...installed,
    planned: currentCSV,
    planHash: hopHash(plan, moves, place.globalCatalogNamespace),
    changes: changesOf(plan, moves, installedCSV, currentCSV),
  };
}

function changesOf(
  plan: InstallPlan,
  moves: readonly SubscriptionMove[],
  from: string | undefined,
  to: string,
): ChangeKind[] {
  const others = plan.spec.clusterServiceVersionNames.filter((name) => name !== to);
  const moved = new Set(moves.map((move) => move.to));
  return [
    versionChange(from ?? null, to),
    ...(others.some((name) => moved.has(name)) ? (['NeighbourMove'] as const) : []),
    ...(others.some((name) => !moved.has(name)) ? (['NewDependency'] as const) : []),
  ];
}

/** Approves the plan that was reviewed, once, and says how far it has come. */
async function go(
  { client, globalCatalogNamespace }: OrderPlace,
  row: AssignmentRow,
  { subscription, plan, moves, isSucceeded }: Found,
  before: AssignmentReport | undefined,
): Promise<Partial<AssignmentReport>> {
  const { installedCSV } = subscription.status ?? {};
  if (installedCSV !== undefined && installedCSV === row.target?.bundle) {
    return isSucceeded ? { state: 'Ready', hop: 1, healthy: true } : { state: rested(row, before), hop: 1 };
  }
  if (row.order === 'Rest') return { state: 'Failed', hop: before?.hop ?? 0 };
  if (plan?.status?.phase === 'Failed') {
    return { state: 'Failed', hop: 1, message: (plan.status.message ?? '').slice(0, MOST_MESSAGE) };
  }
  if (plan === undefined || plan.spec.approved) return { state: 'Running', hop: 1 };
  if (hopHash(plan, moves, globalCatalogNamespace) !== row.target?.planHash) {
    return { state: 'Refused', reason: 'PlanChanged' };
  }
  await approve(client, row, subscription, plan);
  return { state: 'Running', hop: 1 };
}

/** After Ready, a CSV that is not Succeeded is unhealthy; before, it is on its way. */
const rested = (row: AssignmentRow, before: AssignmentReport | undefined): AssignmentReport['state'] =>
  row.order === 'Rest' || (before?.state === 'Ready' && before.attempt === row.attempt) ? 'Ready' : 'Running';

async function approve(
  client: KubeClient,
  row: AssignmentRow,
  subscription: Subscription,
  plan: InstallPlan,
): Promise<void> {
  const { namespace } = subscription.metadata;
  const { rollout, attempt, target, approvedBy } = row;
  const previous = { rollout, attempt, bundle: subscription.status?.installedCSV ?? null, planHash: target?.planHash };
  await client.patch(
    { ...SUBSCRIPTION_API, name: subscription.metadata.name ?? '', namespace },
    { metadata: { annotations: { [PREVIOUS_ANNOTATION]: JSON.stringify(previous) } } },
  );
  const mark = JSON.stringify({ rollout, class: target?.planHash?.slice(0, 12), approvedBy });
  // The plan that was compared is the one that is approved: its resourceVersion says so.
  const { resourceVersion } = plan.metadata;
  await client.patch(
    { ...INSTALL_PLAN_API, name: plan.metadata.name ?? '', namespace },
    { metadata: { resourceVersion, annotations: { [APPROVED_BY_ANNOTATION]: mark } }, spec: { approved: true } },
  );
}

/** The Subscription of a FleetOperator with its newest plan, or why there is nothing to plan with. */
async function findSubscription({ hub, client }: OrderPlace, subject: string): Promise<Found | string> {
  const [kind = '', namespace, name = ''] = subject.split('/');
  const operator = FleetOperator.safeParse(await hub.get({ apiVersion: FLEET_API, kind, namespace, name })).data;
  if (operator === undefined) return `there is no ${subject}`;
  const { package: wanted, namespace: place } = operator.spec;
  const list = await client.list(SUBSCRIPTION_API, { namespace: place });
  const all = (list?.items ?? []).flatMap(
    (item) => Subscription.safeParse({ ...item, ...SUBSCRIPTION_API }).data ?? [],
  );
  const subscription = all.find(({ spec }) => spec.name === wanted);
  if (subscription === undefined) return `no Subscription of package ${wanted} is in namespace ${place}`;
  if (subscription.spec.installPlanApproval !== 'Manual') {
    return `Subscription ${place}/${subscription.metadata.name} approves its plans by itself; set installPlanApproval: Manual`;
  }
  const reference = subscription.status?.installPlanRef?.name;
  const plan =
    reference === undefined
      ? undefined
      : InstallPlan.safeParse(await client.get({ ...INSTALL_PLAN_API, name: reference, namespace: place })).data;
  const named = new Set(plan?.spec.clusterServiceVersionNames);
  const moves = all.flatMap(({ metadata, status }) =>
    status?.currentCSV !== undefined && named.has(status.currentCSV)
      ? [{ subscription: metadata.name ?? '', from: status.installedCSV ?? null, to: status.currentCSV }]
      : [],
  );
  return { subscription, plan, moves, isSucceeded: await isSucceeded(client, subscription) };
}

async function isSucceeded(client: KubeClient, { metadata, status }: Subscription): Promise<boolean> {
  if (status?.installedCSV === undefined) return false;
  const csv = await client.get({ ...CSV_API, name: status.installedCSV, namespace: metadata.namespace });
  const phase = (csv as { status?: { phase?: string } } | undefined)?.status?.phase;
  return phase === 'Succeeded';
}
