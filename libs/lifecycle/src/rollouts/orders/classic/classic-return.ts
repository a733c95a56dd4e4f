import { z } from 'zod';
import { KEEP_DEFINITIONS_ANNOTATION } from '#core/classic/install-plan/crds/decide-crd';
import {
  APPROVED_BY_ANNOTATION,
  DENIED_ANNOTATION,
  type DeniedMark,
  deniedIn,
  PREVIOUS_ANNOTATION,
  previousOf,
  RESULT_ANNOTATION,
  resultOf,
  withDenied,
} from '#core/cluster/marks/fleet-marks';
import { ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { csvName, isCopied } from '#core/kernel/api/csv-facts';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { SUBSCRIPTION_API, Subscription } from '#core/kernel/api/subscription';
import { RETURN_FAILED, RETURNED, RETURNING } from '#core/rollout/controller/facts/report-reasons';
import { checkReturn } from '#core/rollout/desired/return-check';
import { hopHash } from '#core/rollout/review/hop-hash';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { OrderCluster } from '../place/order-place.js';
import { type OrderPlace } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { versionsHash } from '../subject/fleet-subject.js';
import { approvePlan, haveMadeAnew } from './classic-go.js';
import {
  type ClassicSubject,
  isBeingMade,
  isInstalled,
  movesOf,
  newestPlan,
  subscriptionsIn,
} from './classic-subject.js';
import { readReturnFacts } from './return-facts.js';
import { memoRef, type ReturnMemo, writeMemo } from './return-memo.js';

type ReturnPlace = Pick<OrderPlace, 'cluster' | 'previews'>;

const returning = (message = ''): RowFinding => ({
  state: 'Running',
  reason: RETURNING,
  ...(message === '' ? {} : { message }),
});
const returnFailed = (message: string): RowFinding => ({
  state: 'Failed',
  reason: RETURN_FAILED,
  message: reportText(message),
});
const returned: RowFinding = { state: 'Ready', reason: RETURNED };

/**
 * Checks if the cluster could roll back now to its version before this rollout, with the reasons if not.
 * Gives no answer while the earlier bundle is still being fetched.
 */
export async function returnCheckOf(
  { cluster, previews }: ReturnPlace,
  row: AssignmentRow,
  subject: ClassicSubject,
): Promise<Pick<AssignmentReport, 'returnCheck' | 'message'>> {
  const known = previousOf(subject.subscription);
  const previous = known?.rollout === row.rollout ? known?.bundle : null;
  const facts = await readReturnFacts(cluster, previews, subject, previous ?? null);
  if ('waits' in facts) {
    previews.noteWait?.();
    return { message: reportText(facts.waits) };
  }
  const found = checkReturn(facts);
  const [first] = found;
  if (first === undefined) return { returnCheck: { ok: true, reasons: [] } };
  const { installedCSV } = subject.subscription.status ?? {};
  const isUnmarked = previous === null && known?.rollout !== row.rollout && installedCSV !== undefined;
  const why = isUnmarked
    ? `${row.rollout} has replaced no version here, and ${installedCSV} is installed`
    : first.message;
  const message = `${why}; publish a version that upgrades from here`;
  return { returnCheck: { ok: false, reasons: found.map(({ reason }) => reason) }, message: reportText(message) };
}

/** Begins to take a bundle back, or says that it is done, or why it cannot be. */
export async function beginReturn(
  place: ReturnPlace,
  row: AssignmentRow,
  subject: ClassicSubject,
): Promise<RowFinding> {
  const { subscription, operator } = subject;
  const result = resultOf(subscription);
  if (result?.rollout === row.rollout && result?.attempt === row.attempt && result?.result === 'RolledBack') {
    return returned;
  }
  const { returnCheck, message = '' } = await returnCheckOf(place, row, subject);
  if (returnCheck === undefined) return returning(message);
  if (!returnCheck.ok) return { ...returnFailed(message), returnCheck };
  const to = previousOf(subscription)?.bundle ?? '';
  const { cluster } = place;
  const { client } = cluster;
  const csvs = await csvsIn(client, operator.spec.namespace);
  const gone = chainOf(csvs, [subscription.status?.currentCSV, subscription.status?.installedCSV, row.target?.bundle]);
  const bad = gone.filter((csv) => csvName(csv) !== to);
  if (bad.length === 0 && gone.length > 0) return takeBackPlan(cluster, row, subject);
  const memo = memoOf(row, subject, gone, marksAfter(row, subject, cluster.clock));
  await writeMemo(client, memoRef(operator.spec.namespace, operator.spec.package), memo);
  return continueReturn(cluster, operator, memo);
}

/** Rolls back the plan alone: nothing of the newer bundle runs, and the operator continues to run. */
async function takeBackPlan(cluster: OrderCluster, row: AssignmentRow, subject: ClassicSubject): Promise<RowFinding> {
  const { client } = cluster;
  const { subscription, plan } = subject;
  const { installedCSV, currentCSV } = subscription.status ?? {};
  if (plan?.status?.phase === 'Failed') {
    await haveMadeAnew(client, plan);
    return returning();
  }
  // An approved plan that has not made its CSV yet: it ends first, one way or the other.
  if (plan?.spec.approved === true && installedCSV !== currentCSV)
    return returning('the approved InstallPlan is being executed');
  const annotations = marksAfter(row, subject, cluster.clock);
  await patchSubscription(client, subscription, annotations);
  return returned;
}

const patchSubscription = (
  client: KubeClient,
  { metadata }: Subscription,
  annotations: Record<string, string | null>,
) =>
  client.patch(
    { ...SUBSCRIPTION_API, name: metadata.name ?? '', namespace: metadata.namespace },
    { metadata: { annotations } },
  );

/** Returns the marks that stay on the Subscription of a cluster that rolled back. */
function marksAfter(row: AssignmentRow, subject: ClassicSubject, clock: OrderCluster['clock']): Record<string, string> {
  const { subscription, operator, plan } = subject;
  const { rollout = '', attempt, target, denies: scope = 'Operator' } = row;
  const bundle = target?.bundle ?? '';
  const versions = versionsHash(operator);
  const at = clock.now().toISOString();
  const result = { rollout, attempt, bundle, result: 'RolledBack', reason: RETURNED, at };
  const names = [failedOnTheWay(subject), bundle].filter((one, index, all) => all.indexOf(one) === index);
  const denied = names.flatMap((one): DeniedMark[] => {
    if (one === undefined) return [];
    const digest = imageDigest(plan, one);
    return [{ bundle: one, rollout, scope, versions, since: at, ...(digest === undefined ? {} : { digest }) }];
  });
  return {
    [RESULT_ANNOTATION]: JSON.stringify(result),
    [DENIED_ANNOTATION]: withDenied(deniedIn(subscription, versions), ...denied),
  };
}

/**
 * Returns the version with an approved plan that has not come up: no rollout leads to it or over it again
 * (why: fleet-returns.md "Denied versions"). Undefined if all installs that were begun have succeeded.
 */
function failedOnTheWay({ subscription, plan, isSucceeded }: ClassicSubject): string | undefined {
  const { currentCSV, installedCSV } = subscription.status ?? {};
  const hasEnded = isSucceeded && currentCSV === installedCSV;
  return plan?.spec.approved === true && !hasEnded ? currentCSV : undefined;
}

const Lookup = z.looseObject({ identifier: z.string(), path: z.string() });

/** Returns the digest by which a plan names the image of a bundle. */
function imageDigest(plan: InstallPlan | undefined, bundle: string): string | undefined {
  const lookups = (plan?.status?.bundleLookups ?? []).flatMap((one) => Lookup.safeParse(one).data ?? []);
  return lookups.find(({ identifier }) => identifier === bundle)?.path.split('@')[1];
}

/** The CSVs of a namespace that are no copies. */
export async function csvsIn(client: KubeClient, namespace: string): Promise<ClusterServiceVersion[]> {
  const list = await client.list(CSV_API, { namespace });
  const all = (list?.items ?? []).flatMap(
    (item) => ClusterServiceVersion.safeParse({ ...item, ...CSV_API }).data ?? [],
  );
  return all.filter((csv) => !isCopied(csv));
}

/** These CSVs and those that they replace, as far as they are there. */
export function chainOf(
  all: readonly ClusterServiceVersion[],
  from: readonly (string | undefined)[],
): ClusterServiceVersion[] {
  const byName = new Map(all.map((csv) => [csvName(csv), csv]));
  const chain = new Set<ClusterServiceVersion>();
  for (let open = from; open.length > 0; ) {
    const found = open.flatMap((name) => byName.get(name ?? '') ?? []).filter((csv) => !chain.has(csv));
    for (const csv of found) chain.add(csv);
    open = found.map(({ spec }) => spec.replaces);
  }
  return [...chain];
}

function memoOf(
  row: AssignmentRow,
  { subscription }: ClassicSubject,
  gone: readonly ClusterServiceVersion[],
  marks: Readonly<Record<string, string>>,
): ReturnMemo {
  const { name = '', namespace = '', uid = '', labels, annotations = {}, ownerReferences } = subscription.metadata;
  const to = previousOf(subscription)?.bundle ?? '';
  const { [PREVIOUS_ANNOTATION]: _before, [RESULT_ANNOTATION]: _result, ...kept } = annotations;
  const { [RESULT_ANNOTATION]: result = '', ...denied } = marks;
  return {
    rollout: row.rollout ?? '',
    attempt: row.attempt,
    from: row.target?.bundle ?? '',
    to,
    result,
    uid,
    csvs: gone.map((csv) => ({ name: csvName(csv), uid: csv.metadata.uid ?? '' })),
    subscription: {
      ...SUBSCRIPTION_API,
      metadata: {
        ...{ name, namespace, annotations: { ...kept, ...denied } },
        ...(labels === undefined ? {} : { labels }),
        ...(ownerReferences === undefined ? {} : { ownerReferences }),
      },
      spec: { ...subscription.spec, startingCSV: to, installPlanApproval: 'Manual' },
    },
  };
}

/** Continues a return from its last step. Returns its progress. */
export async function continueReturn(
  cluster: OrderCluster,
  operator: FleetOperator,
  memo: ReturnMemo,
): Promise<RowFinding> {
  const { client } = cluster;
  const { namespace, package: packageName } = operator.spec;
  const ref = { ...SUBSCRIPTION_API, name: memo.subscription.metadata.name ?? '', namespace };
  const stored = Subscription.safeParse(await client.get(ref)).data;
  if (stored?.metadata.uid === memo.uid) {
    await client.delete(ref, { uid: memo.uid });
    return returning();
  }
  if (!(await deleteCsvs(client, namespace, memo))) return returning();
  if (stored === undefined) {
    await client.create(memo.subscription);
    return returning();
  }
  if (stored.status?.installedCSV === memo.to) {
    if (!(await isInstalled(client, namespace, memo.to))) return returning();
    await patchSubscription(client, stored, { [RESULT_ANNOTATION]: memo.result });
    await client.delete(memoRef(namespace, packageName));
    return returned;
  }
  // Another writer has recreated the Subscription.
  if (stored.status?.currentCSV === undefined && stored.spec.startingCSV !== memo.to) {
    const { annotations } = memo.subscription.metadata;
    const spec = { startingCSV: memo.to, installPlanApproval: 'Manual' };
    await client.patch(ref, { metadata: { annotations }, spec });
    return returning();
  }
  return approveReturn(cluster, stored, memo);
}

/** Deletes the CSVs that go; true once none of them is there. */
async function deleteCsvs(client: KubeClient, namespace: string, { csvs }: ReturnMemo): Promise<boolean> {
  let areAllGone = true;
  for (const { name, uid } of csvs) {
    const live: KubernetesObject | undefined = await client.get({ ...CSV_API, name, namespace });
    if (live === undefined || live.metadata.uid !== uid) continue;
    areAllGone = false;
    if (live.metadata.deletionTimestamp !== undefined) continue;
    await client.delete({ ...CSV_API, name, namespace }, { uid, propagation: 'Background' });
  }
  return areAllGone;
}

/** Approves the plan that brings the earlier bundle, and nothing that moves another Subscription. */
async function approveReturn(
  { client, globalCatalogNamespace }: OrderCluster,
  subscription: Subscription,
  memo: ReturnMemo,
): Promise<RowFinding> {
  const namespace = subscription.metadata.namespace ?? '';
  const plan = await newestPlan(client, subscription);
  if (plan === undefined) return returning();
  if (plan.status?.phase === 'Failed')
    return returnFailed(plan.status.message ?? `InstallPlan ${plan.metadata.name} failed`);
  if (plan.spec.approved || plan.status?.phase !== 'RequiresApproval') return returning();
  const all = await subscriptionsIn(client, namespace);
  if (isBeingMade(plan, all)) return returning();
  const moves = movesOf(plan, all);
  const others = moves.filter((move) => move.subscription !== subscription.metadata.name);
  if (!plan.spec.clusterServiceVersionNames.includes(memo.to) || others.length > 0) {
    const moved = others.map((move) => `${move.subscription} to ${move.to}`).join(', ');
    return returnFailed(
      others.length > 0
        ? `the plan of the rollback would also change ${moved}: set flotilla.dev/resolution-isolation on the OperatorGroup`
        : `the plan of the rollback does not lead to ${memo.to}`,
    );
  }
  const mark = { rollout: memo.rollout, class: 'rollback', planHash: hopHash(plan, moves, globalCatalogNamespace) };
  await approvePlan(client, plan, {
    [APPROVED_BY_ANNOTATION]: JSON.stringify(mark),
    [KEEP_DEFINITIONS_ANNOTATION]: 'true',
  });
  return returning();
}
