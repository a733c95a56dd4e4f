import {
  DENIED_ANNOTATION,
  type PreviousMark,
  previousOf,
  RESULT_ANNOTATION,
  resultOf,
  withDenied,
} from '#core/cluster/marks/fleet-marks';
import { FLEET } from '#core/kernel/actions/field-managers';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { RETURN_FAILED, RETURNED, RETURNING } from '#core/rollout/controller/facts/report-reasons';
import { pinnedExtension } from '#core/rollout/desired/desired-v1';
import { checkReturn, type ObstacleFound } from '#core/rollout/desired/return-check';
import { CONTENT_KEY, ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { annotationOf, bundleOf } from '#core/v1/revision/revision-states';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { OrderCluster } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { pairsOf } from '../subject/definition-pairs.js';
import { versionsHash } from '../subject/fleet-subject.js';
import { annotate } from './extension-go.js';
import type { V1Subject } from './extension-subject.js';

const returning: RowFinding = { state: 'Running', reason: RETURNING };
const returned: RowFinding = { state: 'Ready', reason: RETURNED };

/** Returns the cluster's version before this rollout. Undefined if the rollout has changed nothing there. */
function earlierOf(row: AssignmentRow, { read }: V1Subject): PreviousMark | undefined {
  const known = read && previousOf(read.extension);
  return known?.rollout === row.rollout ? known : undefined;
}

/** The newest revision that is kept of that content. */
function keptOf({ read }: V1Subject, { revision }: PreviousMark): ClusterObjectSet | undefined {
  const all = (read?.revisions ?? []).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return all
    .toSorted((a, b) => b.spec.revision - a.spec.revision)
    .find((one) => revision !== undefined && annotationOf(one, CONTENT_KEY) === revision);
}

/** Checks if the cluster could roll back now to its version before this rollout, with the reasons if not. */
export async function extensionReturnCheck(
  client: KubeClient,
  row: AssignmentRow,
  subject: V1Subject,
): Promise<Pick<AssignmentReport, 'returnCheck' | 'message'>> {
  const found = await obstaclesOf(client, row, subject);
  const [first] = found;
  if (first === undefined) return { returnCheck: { ok: true, reasons: [] } };
  const message = `${first.message}; publish a version that upgrades from here`;
  return { returnCheck: { ok: false, reasons: found.map(({ reason }) => reason) }, message: reportText(message) };
}

async function obstaclesOf(
  client: KubeClient,
  row: AssignmentRow,
  subject: V1Subject,
): Promise<readonly ObstacleFound[]> {
  const { read, plans } = subject;
  const earlier = earlierOf(row, subject);
  const previous = earlier?.bundle ?? null;
  const nothing = { definitions: [], current: undefined, earlier: undefined, others: [], notUpgradeable: undefined };
  if (previous === null || earlier === undefined || read === undefined) {
    return checkReturn({ previous: null, hasContent: false, ...nothing });
  }
  const kept = keptOf(subject, earlier);
  const whyGone = `no revision with the content of ${previous} is kept`;
  const found = kept === undefined ? { gone: whyGone } : await plans.keptContent(client, read, kept);
  if ('gone' in found) return checkReturn({ previous, hasContent: false, whyGone: found.gone, ...nothing });
  const definitions = await pairsOf(client, found.objects);
  const obstacles = checkReturn({ previous, hasContent: true, ...nothing, definitions });
  if (obstacles.length > 0 || found.problem === undefined) return obstacles;
  return [{ reason: 'ObjectsDoNotFit', message: found.problem }];
}

/**
 * Rolls the cluster back to the kept revision that it had before. Reports that it is done, or the reason why
 * it is impossible. Neither catalog nor registry is asked.
 */
export async function returnExtension(
  { client, notes, clock }: OrderCluster,
  row: AssignmentRow,
  subject: V1Subject,
): Promise<RowFinding> {
  const { read, desired, name, operator, denied } = subject;
  const result = read && resultOf(read.extension);
  if (result?.rollout === row.rollout && result?.attempt === row.attempt && result?.result === 'RolledBack') {
    return returned;
  }
  const earlier = earlierOf(row, subject);
  const kept = earlier && keptOf(subject, earlier);
  const held = read?.extension.metadata.annotations?.[ROLLBACK_KEY];
  if (read !== undefined && kept !== undefined && isHeldAt(read.revisions, held, kept)) {
    if (!isBack(subject, kept)) return troubleOf(subject);
    const { rollout = '', attempt, target, denies = 'Operator' } = row;
    const [bundle, versions] = [target?.bundle ?? '', versionsHash(operator)];
    const at = clock.now().toISOString();
    await annotate(client, read.extension, {
      [RESULT_ANNOTATION]: JSON.stringify({ rollout, attempt, bundle, result: 'RolledBack', reason: RETURNED, at }),
      [DENIED_ANNOTATION]: withDenied(denied, { bundle, rollout, scope: denies, versions }),
    });
    return returned;
  }
  const { returnCheck, message = '' } = await extensionReturnCheck(client, row, subject);
  if (kept === undefined || returnCheck?.ok !== true) {
    return { state: 'Failed', reason: RETURN_FAILED, message, ...(returnCheck === undefined ? {} : { returnCheck }) };
  }
  const marks = { [ROLLBACK_KEY]: String(kept.spec.revision) };
  const back = pinnedExtension(desired, name, bundleOf(kept).bundle.version, marks);
  await client.apply(notes.noted(client.cluster, back), { fieldManager: FLEET });
  return returning;
}

/** The extension is held at a revision of that content: the return makes a newer one of it. */
const isHeldAt = (all: readonly ClusterObjectSet[], held: string | undefined, kept: ClusterObjectSet): boolean =>
  all.some(
    (one) => String(one.spec.revision) === held && annotationOf(one, CONTENT_KEY) === annotationOf(kept, CONTENT_KEY),
  );

const isBack = ({ read, isRollingOut }: V1Subject, kept: ClusterObjectSet): boolean => {
  const installed = read?.states.installed;
  if (installed === undefined || isRollingOut) return false;
  return annotationOf(installed, CONTENT_KEY) === annotationOf(kept, CONTENT_KEY);
};

function troubleOf({ read }: V1Subject): RowFinding {
  const { status, metadata } = read?.extension ?? {};
  const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
  if (progressing?.observedGeneration !== metadata?.generation || progressing?.reason !== 'Blocked') return returning;
  return { state: 'Failed', reason: RETURN_FAILED, message: reportText(progressing.message) };
}
