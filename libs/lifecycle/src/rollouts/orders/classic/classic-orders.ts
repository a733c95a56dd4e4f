import { previousOf } from '#core/cluster/marks/fleet-marks';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { Subscription } from '#core/kernel/api/subscription';
import { CONFLICT, NOT_OFFERED, RETURN_FAILED, RETURNED } from '#core/rollout/controller/facts/report-reasons';
import type { PlanningPlace } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { checkOnce } from '../subject/check-once.js';
import { DRIFTED } from '../subject/drift.js';
import { isOfFleet, wasThere } from '../subject/fleet-subject.js';
import { lastAttempt } from '../subject/last-attempt.js';
import type { CatalogMove } from './classic-catalog.js';
import { catalogMoveOf, moveCatalog } from './classic-catalog.js';
import { goClassic, isBetween, keepResult } from './classic-go.js';
import { installFirst } from './classic-install.js';
import { beginReturn, returnCheckOf } from './classic-return.js';
import type { ClassicSubject, DecidedFacts } from './classic-subject.js';
import { factsOf, findSubject, NOT_SUBSCRIBED } from './classic-subject.js';
/** Carries out an order about a FleetOperator of OLM Classic, and reports the cluster's state of it. */
export async function carryOutClassic(
  place: PlanningPlace,
  row: AssignmentRow,
  operator: FleetOperator,
  before: AssignmentReport | undefined,
): Promise<RowFinding> {
  const found = await findSubject(place, operator);
  if (found === NOT_SUBSCRIBED && row.order !== 'Return') {
    const finding = await installFirst(place, row, operator);
    return wasThere(row) ? { ...finding, ...subscriptionGone(operator, row.target?.bundle) } : finding;
  }
  if (typeof found === 'string') {
    if (row.order !== 'Return') return { state: 'Planning', message: found };
    return { state: 'Failed', reason: RETURN_FAILED, message: found };
  }
  if (row.order === 'Preview' && !operator.spec.adopt && !isOfFleet(found.subscription, operator)) {
    const message = `Subscription ${found.subscription.metadata.name} is not the fleet's: set adopt: true to take it over`;
    return { state: 'Planning', reason: CONFLICT, message };
  }
  const move = await catalogMoveOf(place, found, row);
  const { facts, isUndecided } = move ?? (await factsOf(found, place, row));
  const hash = isUndecided ? {} : { specHash: place.plans.asked };
  const done = { ...facts, ...hash, ...(await byOrder(place, row, { ...found, move }, before, facts)) };
  return done.state === 'Ready' ? { ...done, ...nextThere(row, facts) } : done;
}

/**
 * Returns the reason and message of the next step. They matter more than the outcome of the last attempt,
 * which the hub knows once it orders a rest.
 */
function nextThere({ order }: AssignmentRow, { reason, message }: DecidedFacts['facts']): Partial<RowFinding> {
  const next = order === 'Rest' && reason === NOT_OFFERED ? { reason } : {};
  return message === undefined ? next : { ...next, message };
}

/** A subject with a cluster that may have to get other content of its catalog. */
type MovableSubject = ClassicSubject & Readonly<{ move: CatalogMove | undefined }>;

async function byOrder(
  { cluster, previews }: Pick<PlanningPlace, 'cluster' | 'previews'>,
  row: AssignmentRow,
  subject: MovableSubject,
  before: AssignmentReport | undefined,
  facts: Omit<RowFinding, 'state'>,
): Promise<RowFinding> {
  if (row.order === 'Preview') return { ...plannedOf(subject), ...lastThere(row, subject) };
  if (row.order === 'Return')
    return { hop: before?.hop ?? 0, ...(await beginReturn({ cluster, previews }, row, subject)) };
  if (row.order === 'Rest') {
    await keepResult(cluster.client, row, subject, cluster.clock.now());
    if (row.result === 'RolledBack') return { state: 'Ready', reason: RETURNED, hop: before?.hop ?? 0 };
  }
  const finding = needsMove(row, subject)
    ? await moveCatalog(cluster, row, subject, subject.move)
    : await goClassic({ cluster, previews }, row, subject, before, facts);
  if (isBetween(row, finding)) return finding;
  return {
    ...finding,
    ...(await checkOnce(row, before, finding, () => returnCheckOf({ cluster, previews }, row, subject))),
  };
}

const ENDED_PLANS: ReadonlySet<string> = new Set(['Complete', 'Failed']);

function lastThere(row: AssignmentRow, { subscription, plan }: ClassicSubject): ReturnType<typeof lastAttempt> {
  const isRunning = plan?.spec.approved === true && !ENDED_PLANS.has(plan.status?.phase ?? '');
  return lastAttempt(row, subscription, isRunning);
}

/**
 * True if the reviewed plan needs content that the cluster does not have yet: no plan for it can be under
 * way.
 */
function needsMove(row: AssignmentRow, subject: MovableSubject): subject is ClassicSubject & { move: CatalogMove } {
  const { move, plan, subscription, changes } = subject;
  if (move === undefined || row.order !== 'Go' || hasApproved(row, subscription)) return false;
  const { facts } = move;
  const { bundle, planHash, hops = [] } = row.target ?? {};
  // Another spec without another version: there is no plan to approve.
  if (planHash !== undefined && hops.length === 0) return true;
  if (subscription.status?.installedCSV === bundle) return false;
  if (plan === undefined || plan.status?.phase === 'Complete') return true;
  // The plan that waits is the one that was reviewed, and it goes with another Subscription.
  const isOpen = plan.spec.approved !== true && (changes?.kinds.length ?? 0) > 0;
  return isOpen && facts.planHash === row.target?.planHash;
}

/** True if the attempt has approved its plan: it ends with that plan, whatever is desired now. */
function hasApproved({ rollout, attempt }: AssignmentRow, subscription: Subscription): boolean {
  const known = previousOf(subscription);
  return known !== undefined && known.rollout === rollout && known.attempt === attempt;
}

const plannedOf = ({ refusal }: ClassicSubject): RowFinding =>
  refusal === undefined ? { state: 'Planned' } : { state: 'Planned', message: reportText(refusal) };

/**
 * Reports that the Subscription of an earlier rollout is gone: the rollout installs nothing a second time.
 * The operator runs on without a Subscription. OLM resolves no Subscription for a package with such a
 * ClusterServiceVersion.
 */
function subscriptionGone(
  { spec }: FleetOperator,
  bundle: string | undefined,
): Pick<RowFinding, 'drift' | 'reason' | 'message'> {
  const csv = bundle === undefined ? '' : ` ${bundle}`;
  const message =
    `the Subscription of package ${spec.package} in namespace ${spec.namespace} was deleted in the cluster. To install ` +
    `it again, first delete ClusterServiceVersion${csv} there if it still exists. Then remove the ` +
    'cluster from the selector of the FleetOperator, and add it again';
  return { drift: true, reason: DRIFTED, message: reportText(message) };
}
