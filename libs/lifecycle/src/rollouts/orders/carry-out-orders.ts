import { type AssignmentReport, type AssignmentRow, FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { RETURNED, RETURNING } from '#core/rollout/controller/facts/report-reasons';
import { operatorIn } from '#core/rollout/desired/overrides';
import { askedHash } from '#core/rollout/desired/subscription-changes';
import { type SelectedCluster, selectedCluster } from '#core/rollout/placement/select-clusters';
import { type KubeClient } from '#platform/kube/client/kube-client.port';
import { carryOutCatalog } from './catalog/catalog-orders.js';
import { classicObjects } from './classic/classic-objects.js';
import { carryOutClassic } from './classic/classic-orders.js';
import { removeClassic } from './classic/classic-removal.js';
import { continueReturn } from './classic/classic-return.js';
import { memoRef, type ReturnMemo, readMemo } from './classic/return-memo.js';
import { answerChecks } from './cluster-checks.js';
import { OrderMemo } from './place/order-memo.js';
import { type OrderPlace } from './place/order-place.js';
import type { RowFinding } from './place/row-finding.js';
import { RowPlans } from './place/row-plans.js';
import { forgetPlan, withContentChanges, withDifferences } from './review/fleet-plans.js';
import { isPlanKept } from './review/kept-plan.js';
import { withDeprecations } from './review/plan-deprecations.js';
import { isOnItsWay, reportOf, sinceWhen, writeReports } from './row-reports.js';
import { correctDrift, withDrift } from './subject/drift.js';
import { carryOutExtension, removeExtension } from './v1/extension-orders.js';
import { extensionObjects } from './v1/extension-subject.js';

/** Pause before a report is written again after another write came before it. */
const REPORT_AGAIN_MS = 100;

/**
 * Carries out the orders in the FleetAssignment of a cluster, and reports the cluster's state. Repeatable:
 * finished work is found, and only reported. Returns the milliseconds after which the orders are carried out
 * again if nothing changes.
 *
 * The client of `live` bypasses the cache; otherwise it is the same as `place`. Needed for deletes,
 * re-creates and user-defined checks, which must see current state.
 */
export async function carryOutOrders(place: OrderPlace, live: OrderPlace = place): Promise<number | undefined> {
  const { hub, cluster, memo } = place;
  const name = cluster.client.cluster;
  const stored = await hub.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
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
    const { gates, againAfterMs: dueMs } = await answerChecks(live.cluster, row, known);
    const found = reportOf(row, { ...finding, gates });
    const report = { ...found, ...sinceWhen(memo, found, known, cluster.clock.now()) };
    rows.push(isOnItsWay(report, known) ? known : report);
    dues.push(dueMs, driftMs);
  }
  const againAfterMs = soonest(dues);
  if (canonicalJson(rows) === canonicalJson(before)) return againAfterMs;
  if (await writeReports(hub, stored, before, rows)) return againAfterMs;
  // Orders or kept parts of rows have changed meanwhile, and the latter alone bring no other pass.
  return Math.min(againAfterMs ?? Number.POSITIVE_INFINITY, REPORT_AGAIN_MS);
}

/**
 * Returns the properties of the cluster that selectors see. Reads them only if one of its FleetOperators has
 * overrides.
 */
async function selectedIn(
  hub: KubeClient,
  name: string,
  { spec }: FleetOperator,
): Promise<SelectedCluster | undefined> {
  if ((spec.overrides ?? []).length === 0) return undefined;
  const found = await hub.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
  const cluster = FleetCluster.safeParse(found).data;
  return cluster && selectedCluster(cluster);
}

type CarriedOut = Readonly<{ finding: RowFinding; againAfterMs?: number | undefined }>;
type Places = Readonly<{ place: OrderPlace; live: OrderPlace }>;
/** `written`: as in the hub API. `operator`: with the overrides for the cluster. */
type Ordered = Readonly<{ written: FleetOperator; operator: FleetOperator }>;

async function carryOut(
  places: Places,
  row: AssignmentRow,
  before: AssignmentReport | undefined,
  mayWrite: boolean,
): Promise<CarriedOut> {
  const [kind = '', namespace, name = ''] = row.subject.split('/');
  if (kind === 'FleetCatalog') return carryOutCatalog(places.place, row, before);
  const { hub, cluster, memo: known } = places.live;
  const written = FleetOperator.safeParse(await hub.get({ apiVersion: FLEET_API, kind, namespace, name })).data;
  const operator = written && operatorIn(written, await selectedIn(hub, cluster.client.cluster, written));
  if (written === undefined || operator === undefined)
    return { finding: { state: 'Planning', message: `there is no ${row.subject}` } };
  const memo =
    operator.spec.api === 'V1' ? undefined : await begunReturn(known, cluster.client, { row, operator, before });
  const place = memo !== undefined || row.order === 'Return' || row.order === 'Remove' ? places.live : places.place;
  // A return that has begun is brought to its end, whatever was ordered since.
  const back = memo === undefined ? undefined : await continueReturn(place.cluster, operator, memo);
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
  const { client } = place.cluster;
  const isV1 = operator.spec.api === 'V1';
  if (row.order === 'Remove') return { finding: await (isV1 ? removeExtension : removeClassic)(client, operator) };
  const objects = await (isV1 ? extensionObjects : classicObjects)(client, operator);
  const mayCorrect = mayWrite && operator.spec.drift !== 'Report';
  const { report, againAfterMs } = await correctDrift(place.cluster, objects, before, mayCorrect);
  const find = (as: AssignmentRow) => foundBy(place, as, { written, operator }, before);
  if (row.order === 'Go' && (before?.attempt !== row.attempt || !(await isPlanKept(place, row)))) {
    // Afterwards the cluster does not show the change. Its state may differ from the one at the time of the
    // request.
    forgetPlan(place.memo, row);
    const seen = await find({ ...row, order: 'Preview' });
    if (changesMore(seen, row)) return { finding: { ...withDrift(seen, report), ...PLAN_CHANGED }, againAfterMs };
  }
  return { finding: withDrift(await find(row), report), againAfterMs };
}

const PLAN_CHANGED = {
  ...({ state: 'Refused', reason: 'PlanChanged' } as const),
  message: 'the plan changes more here than was approved; if this message returns, apply k8s/crds/fleet again',
};

/** The plan changes more in the cluster than was approved. */
const changesMore = ({ planHash, differences }: RowFinding, { target }: AssignmentRow): boolean =>
  planHash !== undefined &&
  planHash === target?.planHash &&
  differences !== undefined &&
  differences !== target.differences;

/** Carries out the order, and keeps the changes of the cluster's plan. */
async function foundBy(
  place: OrderPlace,
  row: AssignmentRow,
  { written, operator }: Ordered,
  before: AssignmentReport | undefined,
): Promise<RowFinding> {
  const { hub, cluster, previews } = place;
  const plans = new RowPlans(askedHash(written), row.liftsDenial === true ? row.target?.bundle : undefined);
  const there = { hub, cluster, previews, plans };
  const carriedOut = await (operator.spec.api === 'V1' ? carryOutExtension : carryOutClassic)(
    there,
    row,
    operator,
    before,
  );
  const noted = plans.find(carriedOut.planHash);
  const { finding, planned } = await withDeprecations(previews, operator, carriedOut, noted);
  const found = await withContentChanges(place, operator, finding, planned);
  return withDifferences(place, row, operator, found, planned);
}

type OrderedReturn = Readonly<{
  row: AssignmentRow;
  operator: FleetOperator;
  before: AssignmentReport | undefined;
}>;

/** The return that has begun there, if any. That none has is asked once, since only orders begin one. */
async function begunReturn(
  { noReturns }: OrderMemo,
  client: KubeClient,
  { row: { order }, operator: { spec }, before }: OrderedReturn,
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
