import { previousOf } from '#core/cluster/marks/fleet-marks';
import {
  type AssignmentReport,
  type AssignmentRow,
  countsOf,
  FleetAssignment,
} from '#core/kernel/api/fleet/fleet-assignment';
import { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import {
  CONFLICT,
  NOT_OFFERED,
  RETURN_FAILED,
  RETURNED,
  RETURNING,
} from '#core/rollout/controller/facts/report-reasons';
import { operatorIn } from '#core/rollout/desired/overrides';
import { askedHash } from '#core/rollout/desired/subscription-changes';
import { type SelectedCluster, selectedCluster } from '#core/rollout/placement/select-clusters';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { isPlanKept } from '../assignments/kept-plan.js';
import { type OrderPlace, type RowFinding, reportText } from '../assignments/order-place.js';
import type { PlannedThere } from '../previews/planned-there.js';
import { carryOutCatalog } from './catalog-orders.js';
import { checkOnce } from './check-once.js';
import { type CatalogMove, catalogMoveOf, moveCatalog } from './classic-catalog.js';
import { findDrift, subscriptionGone, wasThere, withDrift } from './classic-drift.js';
import { goClassic, isBetween, keepResult } from './classic-go.js';
import { installFirst } from './classic-install.js';
import { removeClassic } from './classic-removal.js';
import { beginReturn, continueReturn, returnCheckOf } from './classic-return.js';
import {
  type ClassicSubject,
  type DecidedFacts,
  factsOf,
  findSubject,
  isOfFleet,
  NOT_SUBSCRIBED,
} from './classic-subject.js';
import { answerChecks } from './cluster-checks.js';
import { carryOutExtension, removeExtension } from './extension-orders.js';
import { forgetPlan, withContentChanges, withDifferences } from './fleet-plans.js';
import { withDeprecations } from './plan-deprecations.js';
import { memoRef, type ReturnMemo, readMemo } from './return-memo.js';

export type { OrderPlace } from '../assignments/order-place.js';

/** A report that another write came before is made anew after so long. */
const REPORT_AGAIN_MS = 100;

/**
 * Carries out what the FleetAssignment of a cluster says, and reports what the cluster has. Repeatable: what
 * is done already is found, and only reported. Answers after how many milliseconds it is to be done again
 * where nothing changes. `live`: the same place with a client each read of which is a request; where objects
 * are deleted and made anew, and for the checks of users, nothing else shows the cluster as it is.
 */
export async function carryOutOrders(place: OrderPlace, live: OrderPlace = place): Promise<number | undefined> {
  const { hub, client } = place;
  const stored = await hub.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: client.cluster });
  const assignment = stored === undefined ? undefined : FleetAssignment.safeParse(stored).data;
  if (stored === undefined || assignment === undefined) return undefined;
  const before = assignment.status?.rows ?? [];
  const rows: AssignmentReport[] = [];
  const dues: (number | undefined)[] = [];
  for (const row of assignment.spec.rows) {
    const known = before.find(({ subject }) => subject === row.subject);
    const { finding, againAfterMs: driftMs } = await carryOut(
      { place, live },
      row,
      known,
      assignment.spec.paused !== true,
    );
    const { gates, againAfterMs: dueMs } = await answerChecks(live, row, known);
    const found = reportOf(row, { ...finding, gates });
    const report = { ...found, ...sinceWhen(place, found, known) };
    rows.push(isOnItsWay(report, known) ? known : report);
    dues.push(dueMs, driftMs);
  }
  const againAfterMs = soonest(dues);
  if (canonicalJson(rows) === canonicalJson(before)) return againAfterMs;
  if (await writeReports(hub, stored, before, rows)) return againAfterMs;
  // Orders or what is kept of rows have changed in between, and the latter alone brings no other pass.
  return Math.min(againAfterMs ?? Number.POSITIVE_INFINITY, REPORT_AGAIN_MS);
}

/**
 * Writes the reports. Where the object has changed in between they are written all the same, about what is
 * still ordered, since some of it is found only once: a change that was set back. Returns false then: orders
 * have changed. What another applier has reported since stays.
 */
async function writeReports(
  hub: KubeClient,
  stored: KubernetesObject,
  before: readonly AssignmentReport[],
  rows: readonly AssignmentReport[],
): Promise<boolean> {
  const write = (object: KubernetesObject, all: readonly AssignmentReport[]) => {
    const status = { ...(object['status'] ?? {}), rows: all, counts: countsOf(all) };
    return hub.updateStatus({ ...object, status } as KubernetesObject).then(() => true, unlessConflict);
  };
  if (await write(stored, rows)) return true;
  const { name } = stored.metadata;
  const newer = await hub.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: name ?? '' });
  const { spec, status } = FleetAssignment.safeParse(newer).data ?? {};
  const isOnlyOurs = canonicalJson(status?.rows ?? []) === canonicalJson(before);
  if (newer !== undefined && newer.metadata.uid === stored.metadata.uid && isOnlyOurs) {
    const ordered = new Set(spec?.rows.map(({ subject }) => subject));
    await write(
      newer,
      rows.filter(({ subject }) => ordered.has(subject)),
    );
  }
  return false;
}

function unlessConflict(error: unknown): false {
  if (KubeApiError.is(error, 'Conflict')) return false;
  throw error;
}

/** What changes in the course of an attempt, and counts once it has ended. */
const NOT_YET = {
  ...{
    bundle: '',
    healthy: false,
    planned: '',
    planHash: '',
    differences: '',
    hops: [],
    changes: [],
    catalogDigest: '',
  },
  deprecated: '',
};

/**
 * An attempt that goes on running: nothing is decided by what is installed meanwhile, and its end is reported
 * with everything (decision 0359).
 */
function isOnItsWay(report: AssignmentReport, before: AssignmentReport | undefined): before is AssignmentReport {
  if (before?.state !== 'Running' || report.state !== 'Running' || report.reason === RETURNING) return false;
  return canonicalJson({ ...report, ...NOT_YET }) === canonicalJson({ ...before, ...NOT_YET });
}

/**
 * Since when an attempt is as the report says: its deadline is judged by that. What was set back has a time
 * of its own.
 */
function sinceWhen(
  { clock, foundAt = new Map() }: OrderPlace,
  report: AssignmentReport,
  before: AssignmentReport | undefined,
): Pick<AssignmentReport, 'since'> {
  const { subject, attempt } = report;
  if (attempt === 0 || report.since !== undefined) return {};
  const state = stateOf(report);
  // A hub of before has kept no time: what it reported stays as it was.
  if (before !== undefined && state === stateOf(before))
    return before.since === undefined ? {} : { since: before.since };
  const known = foundAt.get(subject);
  if (known?.state === state) return { since: known.since };
  const since = (clock?.now() ?? new Date()).toISOString();
  foundAt.set(subject, { state, since });
  return { since };
}

const stateOf = ({ rollout, attempt, state, hop, healthy }: AssignmentReport): string =>
  canonicalJson([rollout, attempt, state, hop, state === 'Ready' && healthy]);

const reportOf = (row: AssignmentRow, finding: RowFinding): AssignmentReport => ({
  subject: row.subject,
  ...(row.rollout === undefined ? {} : { rollout: row.rollout }),
  attempt: row.attempt,
  hops: [],
  changes: [],
  hop: 0,
  healthy: false,
  gates: [],
  denied: [],
  drift: false,
  ...finding,
});

/** What selectors see of the cluster; read only where one of its FleetOperators has overrides. */
async function selectedIn({ hub, client }: OrderPlace, { spec }: FleetOperator): Promise<SelectedCluster | undefined> {
  if ((spec.overrides ?? []).length === 0) return undefined;
  const found = await hub.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name: client.cluster });
  const cluster = FleetCluster.safeParse(found).data;
  return cluster && selectedCluster(cluster);
}

type CarriedOut = Readonly<{ finding: RowFinding; againAfterMs?: number | undefined }>;
type Places = Readonly<{ place: OrderPlace; live: OrderPlace }>;
/** `written`: as in the hub API; `operator`: with what overrides make of it in the cluster. */
type Ordered = Readonly<{ written: FleetOperator; operator: FleetOperator }>;

async function carryOut(
  places: Places,
  row: AssignmentRow,
  before: AssignmentReport | undefined,
  mayWrite: boolean,
): Promise<CarriedOut> {
  const [kind = '', namespace, name = ''] = row.subject.split('/');
  if (kind === 'FleetCatalog') return carryOutCatalog(places.place, row, before);
  const { hub } = places.live;
  const written = FleetOperator.safeParse(await hub.get({ apiVersion: FLEET_API, kind, namespace, name })).data;
  const operator = written && operatorIn(written, await selectedIn(places.live, written));
  if (written === undefined || operator === undefined)
    return { finding: { state: 'Planning', message: `there is no ${row.subject}` } };
  const memo = operator.spec.api === 'V1' ? undefined : await begunReturn(places.live, row, operator, before);
  const place = memo !== undefined || row.order === 'Return' || row.order === 'Remove' ? places.live : places.place;
  // A return that has begun is brought to its end, whatever was ordered since.
  const back = memo === undefined ? undefined : await continueReturn(place, operator, memo);
  if (back !== undefined && back.reason !== RETURNED) return { finding: { ...back, hop: before?.hop ?? 0 } };
  return carryOutOperator(place, row, { written, operator }, before, mayWrite);
}

async function carryOutOperator(
  place: OrderPlace,
  row: AssignmentRow,
  { written, operator }: Ordered,
  before: AssignmentReport | undefined,
  mayWrite: boolean,
): Promise<CarriedOut> {
  const isV1 = operator.spec.api === 'V1';
  if (row.order === 'Remove') return { finding: await (isV1 ? removeExtension : removeClassic)(place, operator) };
  const { report, againAfterMs } = await findDrift(place, operator, before, mayWrite);
  const find = (as: AssignmentRow) => foundBy(place, as, { written, operator }, before);
  if (row.order === 'Go' && (before?.attempt !== row.attempt || !(await isPlanKept(place, row)))) {
    // Afterwards the cluster does not show what has changed. What it has may be other than when it was asked.
    forgetPlan(place, row);
    const seen = await find({ ...row, order: 'Preview' });
    if (changesMore(seen, row)) return { finding: { ...withDrift(seen, report), ...PLAN_CHANGED }, againAfterMs };
  }
  return { finding: withDrift(await find(row), report), againAfterMs };
}

const PLAN_CHANGED = {
  ...({ state: 'Refused', reason: 'PlanChanged' } as const),
  message: 'the plan changes more here than was approved; if that is said again, apply k8s/crds/fleet anew',
};

/** The plan changes more in the cluster than was approved. */
const changesMore = ({ planHash, differences }: RowFinding, { target }: AssignmentRow): boolean =>
  planHash !== undefined &&
  planHash === target?.planHash &&
  differences !== undefined &&
  differences !== target.differences;

/** Carries out the order, and keeps what the plan of the cluster changes. */
async function foundBy(
  place: OrderPlace,
  row: AssignmentRow,
  { written, operator }: Ordered,
  before: AssignmentReport | undefined,
): Promise<RowFinding> {
  const plans = new Map<string, PlannedThere>();
  const notePlan: OrderPlace['notePlan'] = (hash, planned) => plans.set(hash, planned);
  const lifted = row.liftsDenial === true ? row.target?.bundle : undefined;
  const there = { ...place, notePlan, asked: askedHash(written), lifted };
  const asked = await (operator.spec.api === 'V1' ? carryOutExtension : carryOutFor)(there, row, operator, before);
  const noted = plans.get(asked.planHash ?? '');
  const { finding, planned } = await withDeprecations(place, operator, asked, noted);
  const found = await withContentChanges(place, operator, finding, planned);
  return withDifferences(place, row, operator, found, planned);
}

/** The return that has begun there, if any. That none has is asked once, since only orders begin one. */
async function begunReturn(
  { client, noReturns = new Set() }: OrderPlace,
  { order }: AssignmentRow,
  { spec }: FleetOperator,
  before: AssignmentReport | undefined,
): Promise<ReturnMemo | undefined> {
  const ref = memoRef(spec.namespace, spec.package);
  const key = `${ref.namespace}/${ref.name}`;
  const mayHave = order === 'Return' || before?.reason === RETURNING || !noReturns.has(key);
  const memo = mayHave ? await readMemo(client, ref) : undefined;
  if (memo === undefined && order !== 'Return') noReturns.add(key);
  else noReturns.delete(key);
  return memo;
}

/** Undefined: nothing is due by the clock. */
export function soonest(dues: readonly (number | undefined)[]): number | undefined {
  const known = dues.filter((due) => due !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

async function carryOutFor(
  place: OrderPlace,
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
  const hash = isUndecided || place.asked === undefined ? {} : { specHash: place.asked };
  const done = { ...facts, ...hash, ...(await byOrder(place, row, { ...found, move }, before, facts)) };
  return done.state === 'Ready' ? { ...done, ...nextThere(row, facts) } : done;
}

/** What comes next matters more than how the last attempt went, which the hub knows once it orders a rest. */
function nextThere({ order }: AssignmentRow, { reason, message }: DecidedFacts['facts']): Partial<RowFinding> {
  const next = order === 'Rest' && reason === NOT_OFFERED ? { reason } : {};
  return message === undefined ? next : { ...next, message };
}

/** A subject whose cluster may have to get other content of its catalog. */
type MovableSubject = ClassicSubject & Readonly<{ move: CatalogMove | undefined }>;

async function byOrder(
  place: OrderPlace,
  row: AssignmentRow,
  subject: MovableSubject,
  before: AssignmentReport | undefined,
  facts: Omit<RowFinding, 'state'>,
): Promise<RowFinding> {
  if (row.order === 'Preview') return plannedOf(subject);
  if (row.order === 'Return') return { hop: before?.hop ?? 0, ...(await beginReturn(place, row, subject)) };
  if (row.order === 'Rest') {
    await keepResult(place.client, row, subject, place.clock?.now() ?? new Date());
    if (row.result === 'RolledBack') return { state: 'Ready', reason: RETURNED, hop: before?.hop ?? 0 };
  }
  const finding = needsMove(row, subject)
    ? await moveCatalog(place, row, subject, subject.move)
    : await goClassic(place, row, subject, before, facts);
  if (isBetween(row, finding)) return finding;
  return { ...finding, ...(await checkOnce(row, before, finding, () => returnCheckOf(place, row, subject))) };
}

/** What was reviewed needs content that the cluster does not have yet: no plan for it can be under way. */
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

/** The attempt has approved its plan: it ends with that one, whatever is asked for by now. */
function hasApproved({ rollout, attempt }: AssignmentRow, subscription: Subscription): boolean {
  const known = previousOf(subscription);
  return known !== undefined && known.rollout === rollout && known.attempt === attempt;
}

const plannedOf = ({ refusal }: ClassicSubject): RowFinding =>
  refusal === undefined ? { state: 'Planned' } : { state: 'Planned', message: reportText(refusal) };
