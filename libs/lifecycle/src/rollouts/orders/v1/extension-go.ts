import {
  APPROVED_BY_ANNOTATION,
  DENIED_ANNOTATION,
  PREVIOUS_ANNOTATION,
  previousOf,
  RESULT_ANNOTATION,
  resultOf,
  withoutDenied,
} from '#core/cluster/marks/fleet-marks';
import { FLEET } from '#core/kernel/actions/field-managers';
import { CLUSTER_EXTENSION_API, type ClusterExtension } from '#core/kernel/api/cluster-extension';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { classOf } from '#core/rollout/controller/facts/cluster-report';
import { extensionOver, pinnedExtension } from '#core/rollout/desired/desired-v1';
import { CONTENT_KEY, PLAN_KEY, ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { annotationOf, bundleOf } from '#core/v1/revision/revision-states';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { RenderedBundle } from '../../previews/extension-plans.js';
import type { OrderCluster } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { wentAhead } from '../subject/went-ahead.js';
import { type ExtensionMove, extensionFacts, liveClusterCatalog, type V1Subject } from './extension-subject.js';

/** Reasons of Progressing that only another spec ends. */
const ENDED = new Set(['Blocked', 'InvalidConfiguration', 'ProgressDeadlineExceeded']);
const ONE_HOP = { hop: 1 } as const;

/** Requests the reviewed bundle, once. Returns the progress of the cluster. */
export async function goExtension(
  cluster: OrderCluster,
  row: AssignmentRow,
  subject: V1Subject,
  move: ExtensionMove,
  before: AssignmentReport | undefined,
): Promise<RowFinding> {
  const { healthy = false } = extensionFacts(subject);
  const hasBegun = isBegunBy(row, subject);
  if (isThere(row, subject, move, hasBegun)) {
    return healthy ? { state: 'Ready', healthy, ...ONE_HOP } : { state: rested(row, before), ...ONE_HOP };
  }
  const ahead = aheadThere(row, subject, move, healthy);
  if (ahead !== undefined) return { ...ahead, hop: before?.hop ?? 0 };
  if (row.order === 'Rest') return { state: 'Failed', hop: before?.hop ?? 0 };
  if (hasBegun) return underWay(cluster.client, row, subject);
  const { facts, isUndecided, next } = move;
  // Nothing was written yet, so the cluster is previewed again.
  if (isUndecided) return { state: 'Running', ...ONE_HOP };
  if (next === undefined || facts.planHash === undefined || facts.planHash !== row.target?.planHash) {
    return { state: 'Refused', reason: 'PlanChanged' };
  }
  await ask(cluster, row, subject, next);
  return { state: 'Running', ...ONE_HOP };
}

function aheadThere(
  row: AssignmentRow,
  { installed, isRollingOut, read }: V1Subject,
  move: ExtensionMove,
  isHealthy: boolean,
) {
  const known = read && previousOf(read.extension);
  const before = known?.rollout === row.rollout ? known?.bundle : undefined;
  return isRollingOut ? undefined : wentAhead(row, { installed: installed?.name, before, isHealthy }, move.facts);
}

/**
 * Returns the reported state while the version is unhealthy: Ready if it was Ready before, otherwise
 * Running.
 */
const rested = (row: AssignmentRow, before: AssignmentReport | undefined): AssignmentReport['state'] =>
  row.order === 'Rest' || (before?.state === 'Ready' && before.attempt === row.attempt) ? 'Ready' : 'Running';

/** True if the attempt has requested its bundle. */
function isBegunBy({ rollout, attempt }: AssignmentRow, { read }: V1Subject): boolean {
  const known = read && previousOf(read.extension);
  if (known === undefined || known.rollout !== rollout || known.attempt !== attempt) return false;
  return known.content !== undefined && known.content === read?.extension.metadata.annotations?.[PLAN_KEY];
}

function isThere(
  row: AssignmentRow,
  subject: V1Subject,
  { facts, isUndecided }: ExtensionMove,
  begun: boolean,
): boolean {
  const { installed, isRollingOut, running, read } = subject;
  if (installed === undefined || installed.name !== row.target?.bundle || isRollingOut) return false;
  const reviewed = read?.extension.metadata.annotations?.[PLAN_KEY];
  // A cluster that was rolled back meanwhile stays at the content that the return has brought.
  if (row.order === 'Rest' || begun) return reviewed === undefined || running?.content === reviewed;
  return !isUndecided && facts.planHash === undefined && facts.reason === undefined;
}

/** Reports the progress of the cluster towards the desired state. */
async function underWay(client: KubeClient, row: AssignmentRow, subject: V1Subject): Promise<RowFinding> {
  const { read, plans } = subject;
  const newest = read?.states.active.at(-1);
  const isMade = newest !== undefined && bundleOf(newest).bundle.name === row.target?.bundle && subject.isRollingOut;
  if (read === undefined) return { state: 'Running', ...ONE_HOP };
  if (!isMade && (await plans.isOtherContent(client, read))) return { state: 'Refused', reason: 'PlanChanged' };
  const { status, metadata } = read.extension;
  const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
  const isNews = progressing?.observedGeneration === metadata.generation;
  const message = progressing === undefined || !isNews ? {} : { message: reportText(progressing.message) };
  const hasEnded = isNews && progressing !== undefined && ENDED.has(progressing.reason);
  return { state: hasEnded ? 'Failed' : 'Running', ...ONE_HOP, ...(hasEnded ? message : {}) };
}

/**
 * Applies Catalog, namespace and ClusterExtension. The cluster's version before the change is first kept on
 * the ClusterExtension.
 */
async function ask(
  { client, notes }: OrderCluster,
  row: AssignmentRow,
  subject: V1Subject,
  next: RenderedBundle,
): Promise<void> {
  const { desired, name, read } = subject;
  const apply = (object: KubernetesObject) =>
    client.apply(notes.noted(client.cluster, object), { fieldManager: FLEET });
  const { clusterCatalog } = desired;
  const catalog = await liveClusterCatalog(client, desired);
  const hasCatalog = catalog?.spec.source.image?.ref === clusterCatalog?.spec.source.image?.ref;
  if (clusterCatalog !== undefined && !(hasCatalog && catalog !== undefined)) await apply(clusterCatalog);
  if (read === undefined) await client.apply(desired.namespace, { fieldManager: FLEET });
  const marks = marksOf(row, subject, next);
  if (read !== undefined) await annotate(client, read.extension, { ...marks, [ROLLBACK_KEY]: null });
  await apply(pinnedExtension(desired, name, next.bundle.version, { [PLAN_KEY]: next.content }));
  // Nothing existed before: a return has no target.
  if (read === undefined) await annotate(client, extensionOver(undefined, desired, undefined), marks);
}

function marksOf(row: AssignmentRow, { read, installed, denied }: V1Subject, { content }: RenderedBundle) {
  const { rollout = '', attempt, wave, target, approvedBy } = row;
  const known = read && previousOf(read.extension);
  const revision = read?.states.installed && annotationOf(read.states.installed, CONTENT_KEY);
  // The version that the first attempt found is the cluster's version before the rollout.
  const earlier =
    known?.rollout === rollout
      ? { bundle: known.bundle, revision: known.revision }
      : { bundle: installed?.name ?? null, revision };
  const { planHash, catalogDigest } = target ?? {};
  const previous = { rollout, attempt, wave, ...earlier, planHash, catalogDigest, content };
  const mark = { rollout, class: classOf(target ?? {}), approvedBy };
  return {
    [PREVIOUS_ANNOTATION]: JSON.stringify(previous),
    [APPROVED_BY_ANNOTATION]: JSON.stringify(mark),
    [RESULT_ANNOTATION]: null,
    [DENIED_ANNOTATION]: withoutDenied(denied, target?.bundle ?? ''),
  };
}

/** Sets annotations of the hub; null removes one. */
export async function annotate(
  client: KubeClient,
  { metadata }: ClusterExtension,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  await client.patch({ ...CLUSTER_EXTENSION_API, name: metadata.name ?? '' }, { metadata: { annotations } });
}

/** Keeps on the ClusterExtension how an attempt ended, for a hub that has lost its data. */
export async function keepExtensionResult(
  client: KubeClient,
  row: AssignmentRow,
  { extension }: Readonly<{ extension: ClusterExtension }>,
  now: Date,
): Promise<void> {
  const { rollout = '', attempt, result, resultReason: reason = '', target } = row;
  const known = resultOf(extension);
  const isKept = known?.rollout === rollout && known.attempt === attempt && known.result === result;
  if (result === 'Failed' && !(isKept && known.reason === reason)) {
    const mark = { rollout, attempt, bundle: target?.bundle ?? '', result, reason, at: now.toISOString() };
    await annotate(client, extension, { [RESULT_ANNOTATION]: JSON.stringify(mark) });
  } else if (result === 'Done' && known !== undefined) await annotate(client, extension, { [RESULT_ANNOTATION]: null });
}
