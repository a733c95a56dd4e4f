import { RETRY_ANNOTATION, requestedRetry, retryAnnotation } from '#core/classic/install-plan/retry-plan';
import {
  APPROVED_BY_ANNOTATION,
  DENIED_ANNOTATION,
  PREVIOUS_ANNOTATION,
  previousOf,
  RESULT_ANNOTATION,
  resultOf,
  withoutDenied,
} from '#core/fleet/desired/fleet-marks';
import { hopHash } from '#core/fleet/plan-class/hop-hash';
import { ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { INSTALL_PLAN_API, type InstallPlan } from '#core/kernel/api/install-plan';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClassicSubject } from './classic-subject.js';
import { type OrderPlace, type RowFinding, reportText } from './order-place.js';

/** Approves the plans that were reviewed, each once and in its turn, and says how far it has come. */
export async function goClassic(
  { client, globalCatalogNamespace }: OrderPlace,
  row: AssignmentRow,
  subject: ClassicSubject,
  before: AssignmentReport | undefined,
): Promise<RowFinding> {
  const { subscription, plan, moves, isSucceeded } = subject;
  const { installedCSV } = subscription.status ?? {};
  const last = lastHop(row);
  if (installedCSV !== undefined && installedCSV === row.target?.bundle) {
    if (isSucceeded) return { state: 'Ready', hop: last, healthy: true };
    return { state: rested(row, before), hop: last, ...(await whyFailed(client, row, subject, before)) };
  }
  if (row.order === 'Rest') {
    // One that was passed over between two hops has not failed.
    const state = row.result === 'Skipped' ? 'Ready' : 'Failed';
    return { state, hop: before?.hop ?? 0, ...(await whyFailed(client, row, subject, before)) };
  }
  if (plan?.status?.phase === 'Failed') return failedPlan(client, row, subject);
  if (plan === undefined || plan.spec.approved) return underWay(row, subject);
  if (subject.isBeingMade) return { state: 'Running', hop: Math.max(1, approvedHop(row, subject)) };
  const at = row.target?.hops.indexOf(hopHash(plan, moves, globalCatalogNamespace)) ?? -1;
  return at === -1 ? { state: 'Refused', reason: 'PlanChanged' } : waitingPlan(client, row, subject, at);
}

/** The plan of a hop waits: it is approved once the hop is ordered, and the one before it has come up. */
async function waitingPlan(
  client: KubeClient,
  row: AssignmentRow,
  subject: ClassicSubject,
  before: number,
): Promise<RowFinding> {
  if (before > 0 && !subject.isSucceeded) return { state: 'Running', hop: before };
  const hop = before + 1;
  if (hop > (row.hop ?? 1)) return hopEnded(before);
  await approve(client, row, subject, hop);
  return { state: 'Running', hop };
}

/** How many hops the path of an order has. */
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

function underWay(row: AssignmentRow, subject: ClassicSubject): RowFinding {
  const { subscription, plan, isSucceeded } = subject;
  const { installedCSV, currentCSV } = subscription.status ?? {};
  const hop = approvedHop(row, subject);
  const isInstalled = plan?.status?.phase === 'Complete' && installedCSV === currentCSV && isSucceeded;
  return hop > 0 && hop < lastHop(row) && isInstalled ? hopEnded(hop) : { state: 'Running', hop: Math.max(1, hop) };
}

/**
 * After Ready, a CSV that is not Succeeded is unhealthy; before, it is on its way.
 */
function rested(row: AssignmentRow, before: AssignmentReport | undefined): AssignmentReport['state'] {
  const wasReady = before?.state === 'Ready' && before.attempt === row.attempt && before.hop >= lastHop(row);
  return row.order === 'Rest' || wasReady ? 'Ready' : 'Running';
}

/** What the version says that has not come up, as it was once the attempt had ended: OLM goes on trying. */
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

/** A plan that failed ends its attempt; a later attempt has it made anew. */
async function failedPlan(client: KubeClient, row: AssignmentRow, subject: ClassicSubject): Promise<RowFinding> {
  const { plan } = subject;
  const hop = approvedHop(row, subject);
  if (plan === undefined || hop > 0) {
    return { state: 'Failed', hop: Math.max(1, hop), message: reportText(plan?.status?.message ?? '') };
  }
  await haveMadeAnew(client, plan);
  return { state: 'Running', hop: 1 };
}

/** The applier takes back what the plan did to Subscriptions, and the namespace is resolved anew. */
export async function haveMadeAnew(client: KubeClient, { metadata }: InstallPlan): Promise<void> {
  if (requestedRetry({ metadata }) === 'replan') return;
  const annotations = { [RETRY_ANNOTATION]: retryAnnotation('replan') };
  const { name = '', namespace } = metadata;
  await client.patch({ ...INSTALL_PLAN_API, name, namespace }, { metadata: { annotations } });
}

async function approve(client: KubeClient, row: AssignmentRow, subject: ClassicSubject, hop: number): Promise<void> {
  const { subscription, plan, denied } = subject;
  const { namespace, name = '' } = subscription.metadata;
  const { rollout = '', attempt, target, approvedBy } = row;
  const known = previousOf(subscription);
  // What the first attempt found is what the cluster had before the roll-out.
  const bundle = known?.rollout === rollout ? known.bundle : (subscription.status?.installedCSV ?? null);
  const of = lastHop(row) > 1 ? { hop } : {};
  const previous = { rollout, attempt, ...of, bundle, planHash: target?.planHash };
  const annotations = {
    [PREVIOUS_ANNOTATION]: JSON.stringify(previous),
    [RESULT_ANNOTATION]: null,
    [DENIED_ANNOTATION]: withoutDenied(denied, target?.bundle ?? ''),
  };
  await client.patch({ ...SUBSCRIPTION_API, name, namespace }, { metadata: { annotations } });
  if (plan === undefined) return;
  const mark = JSON.stringify({ rollout, class: target?.planHash?.slice(0, 12), approvedBy });
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

/** Keeps on the Subscription how an attempt ended, for a hub that has lost what it knew. */
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
