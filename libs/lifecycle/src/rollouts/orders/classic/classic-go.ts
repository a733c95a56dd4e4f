import { RETRY_ANNOTATION, requestedRetry, retryAnnotation } from '#core/classic/install-plan/plan/retry-plan';
import {
  APPROVED_BY_ANNOTATION,
  DENIED_ANNOTATION,
  PREVIOUS_ANNOTATION,
  previousOf,
  RESULT_ANNOTATION,
  resultOf,
  withoutDenied,
} from '#core/cluster/marks/fleet-marks';
import { ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { INSTALL_PLAN_API, type InstallPlan } from '#core/kernel/api/install-plan';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { classOf } from '#core/rollout/controller/facts/cluster-report';
import { hopHash } from '#core/rollout/review/hop-hash';
import { actOnWaiting } from '#core/rollout/review/waiting-plan';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { PlannedHop } from '../../previews/planned-there.js';
import type { OrderPreviews } from '../place/order-place.js';
import { type OrderPlace } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { wentAhead } from '../subject/went-ahead.js';
import type { ClassicSubject } from './classic-subject.js';
import { pathFrom } from './path-from.js';

type GoPlace = Pick<OrderPlace, 'cluster' | 'previews'>;

/** Approves the reviewed plans, each once and in its turn. Returns the progress of the cluster. */
export async function goClassic(
  place: GoPlace,
  row: AssignmentRow,
  subject: ClassicSubject,
  before: AssignmentReport | undefined,
  facts: Omit<RowFinding, 'state'>,
): Promise<RowFinding> {
  const { client } = place.cluster;
  const { subscription, plan, isSucceeded } = subject;
  const { installedCSV } = subscription.status ?? {};
  const last = lastHop(row);
  if (installedCSV !== undefined && installedCSV === row.target?.bundle) {
    if (isSucceeded) return { state: 'Ready', hop: last, healthy: true };
    return { state: rested(row, before), hop: last, ...(await whyFailed(client, row, subject, before)) };
  }
  const ahead = aheadThere(row, subject, facts);
  if (ahead !== undefined) return { ...ahead, hop: before?.hop ?? 0 };
  if (row.order === 'Rest') {
    // One that was passed over between two hops has not failed.
    const state = row.result === 'Skipped' ? 'Ready' : 'Failed';
    return { state, hop: before?.hop ?? 0, ...(await whyFailed(client, row, subject, before)) };
  }
  if (plan?.status?.phase === 'Failed') return failedPlan(client, row, subject);
  if (plan === undefined || plan.spec.approved) return underWay(place.previews, row, subject);
  if (subject.isBeingMade) return { state: 'Running', hop: Math.max(1, approvedHop(row, subject)) };
  return waitingPlan(place, row, subject, plan);
}

/** While a plan waits for approval, it is compared with the one that was ordered. */
function aheadThere(row: AssignmentRow, subject: ClassicSubject, facts: Omit<RowFinding, 'state'>) {
  const { subscription, isSucceeded, plan } = subject;
  if (row.order === 'Go' && plan?.spec.approved === false) return undefined;
  const known = previousOf(subscription);
  const before = known?.rollout === row.rollout ? known?.bundle : undefined;
  return wentAhead(row, { installed: subscription.status?.installedCSV, before, isHealthy: isSucceeded }, facts);
}

/** The plan of a hop waits: it is approved once the hop is ordered, and the one before it has come up. */
async function waitingPlan(
  place: GoPlace,
  row: AssignmentRow,
  subject: ClassicSubject,
  plan: InstallPlan,
): Promise<RowFinding> {
  const { client, globalCatalogNamespace } = place.cluster;
  const hash = (hop: Pick<PlannedHop, 'plan' | 'moves'>) => hopHash(hop.plan, hop.moves, globalCatalogNamespace);
  const waiting = hash({ plan, moves: subject.moves });
  const { hops = [] } = row.target ?? {};
  const found = hops.indexOf(waiting);
  const before = found === -1 ? approvedHop(row, subject) : found;
  if (before > 0 && !subject.isSucceeded) return { state: 'Running', hop: before };
  const hop = before + 1;
  const isItsTurn = hop <= (row.hop ?? 1);
  if (found !== -1 && !isItsTurn) return hopEnded(before);
  const path = await pathOfWaiting(place, subject, plan);
  if ('waits' in path) return { state: 'Running', hop: Math.max(1, before) };
  const act = actOnWaiting(waiting, hops[before], 'hops' in path ? hash(path.hops[0]) : undefined);
  if (act === 'Refuse') return { state: 'Refused', reason: 'PlanChanged' };
  if (!isItsTurn) return hopEnded(before);
  await (act === 'Approve' ? approve(client, row, subject, hop) : takeBack(client, plan));
  return { state: 'Running', hop };
}

/**
 * Returns the path that begins with a plan. Versions that the fleet gives by digest stay as they were
 * reviewed, and nothing follows on a first install.
 */
function pathOfWaiting(
  place: GoPlace,
  { subscription: { status = {} }, moves, desired }: ClassicSubject,
  plan: InstallPlan,
): ReturnType<typeof pathFrom> {
  const { installedCSV, currentCSV = '' } = status;
  const isFixed = installedCSV === undefined || (desired?.catalogSource !== undefined && !desired.isStaged);
  return pathFrom(place, isFixed ? undefined : desired, { plan, moves, from: installedCSV, to: currentCSV });
}

/** Deletes a plan without any executed step: the namespace is resolved again. */
async function takeBack(client: KubeClient, { metadata }: InstallPlan): Promise<void> {
  const { name = '', namespace, uid } = metadata;
  await client.delete({ ...INSTALL_PLAN_API, name, namespace }, uid === undefined ? {} : { uid });
}

/** Returns the number of hops of an order's path. */
const lastHop = ({ target }: AssignmentRow): number => Math.max(1, target?.hops.length ?? 0);
/** A hop has ended, and another follows once that is ordered. */
export const isBetween = (row: AssignmentRow, { state, hop = 0 }: RowFinding): boolean =>
  row.order === 'Go' && state === 'Ready' && hop < lastHop(row);
const hopEnded = (hop: number): RowFinding => ({ state: 'Ready', hop, healthy: true });

/** The hop that this attempt has approved last; 0: none yet. */
function approvedHop({ rollout, attempt }: AssignmentRow, { subscription }: ClassicSubject): number {
  const known = previousOf(subscription);
  return known?.rollout === rollout && known?.attempt === attempt ? (known.hop ?? 1) : 0;
}

async function underWay({ checkEnd }: OrderPreviews, row: AssignmentRow, subject: ClassicSubject): Promise<RowFinding> {
  const { subscription, plan, isSucceeded } = subject;
  const { installedCSV, currentCSV } = subscription.status ?? {};
  const hop = approvedHop(row, subject);
  const isInstalled = plan?.status?.phase === 'Complete' && installedCSV === currentCSV && isSucceeded;
  if (hop === 0 || hop >= lastHop(row) || !isInstalled) return { state: 'Running', hop: Math.max(1, hop) };
  // The plan of the next hop is still to be created if the catalog leads on.
  const isLeft = hop < (row.hop ?? 1) && (await checkEnd?.(subscription)) === true;
  return isLeft ? { state: 'Refused', reason: 'PlanChanged' } : hopEnded(hop);
}

/**
 * Returns the reported state while the CSV is not Succeeded. After Ready it stays Ready and is unhealthy;
 * before, it is on its way.
 */
function rested(row: AssignmentRow, before: AssignmentReport | undefined): AssignmentReport['state'] {
  const wasReady = before?.state === 'Ready' && before.attempt === row.attempt && before.hop >= lastHop(row);
  return row.order === 'Rest' || wasReady ? 'Ready' : 'Running';
}

/**
 * Returns the failure of the version that has not come up, as it was when the attempt ended: OLM continues to
 * try.
 */
async function whyFailed(
  client: KubeClient,
  row: AssignmentRow,
  { subscription, isSucceeded }: ClassicSubject,
  before: AssignmentReport | undefined,
): Promise<Pick<RowFinding, 'message'>> {
  if (row.order !== 'Rest' || row.result !== 'Failed') return {};
  const isKnown = before?.attempt === row.attempt && before.rollout === row.rollout && before.message !== undefined;
  if (isKnown) return { message: before.message };
  const { namespace } = subscription.metadata;
  const { installedCSV: name } = subscription.status ?? {};
  if (isSucceeded || name === undefined) return {};
  const csv = ClusterServiceVersion.safeParse(await client.get({ ...CSV_API, name, namespace })).data;
  const { phase = 'Pending', message = '' } = csv?.status ?? {};
  const what = csv === undefined ? 'is gone' : `is ${phase}${message === '' ? '' : `: ${message}`}`;
  return { message: reportText(`${name} ${what}`) };
}

/** Ends the attempt of a failed plan. A later attempt has the plan recreated. */
async function failedPlan(client: KubeClient, row: AssignmentRow, subject: ClassicSubject): Promise<RowFinding> {
  const { plan } = subject;
  const hop = approvedHop(row, subject);
  if (plan === undefined || hop > 0) {
    return { state: 'Failed', hop: Math.max(1, hop), message: reportText(plan?.status?.message ?? '') };
  }
  await haveMadeAnew(client, plan);
  return { state: 'Running', hop: 1 };
}

/**
 * Requests a retry of the plan: the applier reverts its changes of Subscriptions, and the namespace is
 * resolved again.
 */
export async function haveMadeAnew(client: KubeClient, { metadata }: InstallPlan): Promise<void> {
  if (requestedRetry({ metadata }) === 'replan') return;
  const annotations = { [RETRY_ANNOTATION]: retryAnnotation('replan') };
  const { name = '', namespace } = metadata;
  await client.patch({ ...INSTALL_PLAN_API, name, namespace }, { metadata: { annotations } });
}

async function approve(client: KubeClient, row: AssignmentRow, subject: ClassicSubject, hop: number): Promise<void> {
  const { subscription, plan, denied } = subject;
  const { namespace, name = '' } = subscription.metadata;
  const { rollout = '', attempt, wave, target, approvedBy } = row;
  const known = previousOf(subscription);
  // The version that the first attempt found is the cluster's version before the rollout.
  const bundle = known?.rollout === rollout ? known.bundle : (subscription.status?.installedCSV ?? null);
  const of = lastHop(row) > 1 ? { hop } : {};
  const previous = { rollout, attempt, wave, ...of, bundle, planHash: target?.planHash };
  const annotations = {
    [PREVIOUS_ANNOTATION]: JSON.stringify(previous),
    [RESULT_ANNOTATION]: null,
    [DENIED_ANNOTATION]: withoutDenied(denied, target?.bundle ?? ''),
  };
  await client.patch({ ...SUBSCRIPTION_API, name, namespace }, { metadata: { annotations } });
  if (plan === undefined) return;
  const mark = JSON.stringify({ rollout, class: classOf(target ?? {}), approvedBy });
  await approvePlan(client, plan, { [APPROVED_BY_ANNOTATION]: mark });
}

/** Approves the plan that was compared: its resourceVersion says so. */
export async function approvePlan(
  client: KubeClient,
  { metadata }: InstallPlan,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const { resourceVersion, name = '', namespace } = metadata;
  await client.patch(
    { ...INSTALL_PLAN_API, name, namespace },
    { metadata: { resourceVersion, annotations }, spec: { approved: true } },
  );
}

/** Keeps on the Subscription how an attempt ended, for a hub that has lost its data. */
export async function keepResult(
  client: KubeClient,
  row: AssignmentRow,
  { subscription }: ClassicSubject,
  now: Date,
): Promise<void> {
  const { rollout = '', attempt, result, resultReason: reason = '', target } = row;
  const known = resultOf(subscription);
  const isKept = known?.rollout === rollout && known.attempt === attempt && known.result === result;
  const patch = async (text: string | null): Promise<void> => {
    const { namespace, name = '' } = subscription.metadata;
    const annotations = { [RESULT_ANNOTATION]: text };
    await client.patch({ ...SUBSCRIPTION_API, name, namespace }, { metadata: { annotations } });
  };
  if (result === 'Failed' && !(isKept && known.reason === reason)) {
    const mark = { rollout, attempt, bundle: target?.bundle ?? '', result, reason, at: now.toISOString() };
    await patch(JSON.stringify(mark));
  } else if (result === 'Done' && known !== undefined) await patch(null);
}
