import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { CONFLICT, RESOLUTION_FAILED, RETURN_FAILED, RETURNED } from '#core/rollout/controller/facts/report-reasons';
import { REMOVED, REMOVING } from '#core/rollout/desired/leaving';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { extensionsIn } from '../../previews/extension-plans.js';
import type { OrderCluster, PlanningPlace } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { checkOnce } from '../subject/check-once.js';
import { DRIFTED } from '../subject/drift.js';
import { wasChangedFor, wasThere } from '../subject/fleet-subject.js';
import { lastAttempt } from '../subject/last-attempt.js';
import { goExtension, keepExtensionResult } from './extension-go.js';
import { extensionReturnCheck, returnExtension } from './extension-return.js';
import {
  type ExtensionMove,
  extensionFacts,
  extensionMove,
  findExtension,
  type V1Subject,
} from './extension-subject.js';

/** Carries out the order about a FleetOperator of OLM v1, and reports the cluster's state of it. */
export async function carryOutExtension(
  place: PlanningPlace,
  row: AssignmentRow,
  operator: FleetOperator,
  before: AssignmentReport | undefined,
): Promise<RowFinding> {
  const subject = await findExtension(place, operator);
  if (typeof subject === 'string') {
    if (row.order !== 'Return') return { state: 'Planning', message: subject };
    return { state: 'Failed', reason: RETURN_FAILED, message: subject };
  }
  const installed = extensionFacts(subject);
  // A return asks neither catalog nor registry.
  if (row.order === 'Return') {
    return { ...installed, hop: before?.hop ?? 0, ...(await returnExtension(place.cluster, row, subject)) };
  }
  const move = await extensionMove(place, subject);
  const hash = move.isUndecided ? {} : { specHash: place.plans.asked };
  return { ...installed, ...move.facts, ...hash, ...(await byOrder(place.cluster, row, subject, move, before)) };
}

async function byOrder(
  cluster: OrderCluster,
  row: AssignmentRow,
  subject: V1Subject,
  move: ExtensionMove,
  before: AssignmentReport | undefined,
): Promise<RowFinding> {
  const { read, operator } = subject;
  const { reason = '' } = move.facts;
  const gone = wasThere(row) && read === undefined ? extensionGone(operator) : undefined;
  if (row.order === 'Preview') {
    const state = move.isUndecided || OPEN.has(reason) ? 'Planning' : 'Planned';
    return { state, ...gone, ...lastAttempt(row, read?.extension, subject.isRollingOut) };
  }
  if (row.order === 'Rest' && read !== undefined) {
    await keepExtensionResult(cluster.client, row, read, cluster.clock.now());
    if (row.result === 'RolledBack') return { state: 'Ready', reason: RETURNED, hop: before?.hop ?? 0 };
  }
  const finding = await goExtension(cluster, row, subject, move, before);
  if (gone !== undefined) return { ...finding, ...gone };
  return {
    ...finding,
    ...(await checkOnce(row, before, finding, () => extensionReturnCheck(cluster.client, row, subject))),
  };
}

/** Reasons that prevent a plan. */
const OPEN: ReadonlySet<string> = new Set([CONFLICT, RESOLUTION_FAILED]);

function extensionGone({ spec }: FleetOperator): Pick<RowFinding, 'drift' | 'reason' | 'message'> {
  const message =
    `the ClusterExtension of package ${spec.package} was deleted in the cluster, and its operator with it. To install ` +
    'it again, remove the cluster from the selector of the FleetOperator, and add it again';
  return { drift: true, reason: DRIFTED, message: reportText(message) };
}

/**
 * Deletes the ClusterExtension of a FleetOperator, and with it all that its revisions have brought, CRDs
 * too. Namespace and catalog stay; so does a ClusterExtension that the fleet has never changed.
 */
export async function removeExtension(client: KubeClient, operator: FleetOperator): Promise<RowFinding> {
  const { namespace, package: packageName } = operator.spec;
  const live = (await extensionsIn(client)).find(
    ({ spec }) => spec.source.catalog?.packageName === packageName && spec.namespace === namespace,
  );
  if (live === undefined) return { state: 'Ready', reason: REMOVED };
  const { name = '', uid = '', deletionTimestamp } = live.metadata;
  if (!wasChangedFor(live, operator)) {
    const message = reportText(`ClusterExtension ${name} is not the fleet's: it stays`);
    return { state: 'Ready', reason: REMOVED, message };
  }
  if (deletionTimestamp === undefined) {
    await client.delete({ ...CLUSTER_EXTENSION_API, name }, { uid, propagation: 'Background' });
  }
  return { state: 'Running', reason: REMOVING, message: `ClusterExtension ${name} is being deleted` };
}
