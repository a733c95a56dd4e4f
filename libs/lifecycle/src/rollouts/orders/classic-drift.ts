import { OPERATOR_ANNOTATION } from '#core/cluster/marks/fleet-marks';
import { FLEET } from '#core/kernel/actions/field-managers';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API, Subscription } from '#core/kernel/api/subscription';
import { leftOf } from '#core/kernel/durations/left-of';
import { DRIFT_CORRECTED } from '#core/rollout/controller/facts/report-reasons';
import { CATALOG_ANNOTATION } from '#core/rollout/desired/desired-classic';
import { FLEET_GROUP } from '#core/rollout/desired/desired-group';
import { APPLIED_ANNOTATION, driftOf, objectAsApplied } from '#core/rollout/desired/drift';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { UNSIGNED } from '../assignments/applied-notes.js';
import { type OrderPlace, type RowFinding, reportText } from '../assignments/order-place.js';
import { extensionObjects } from './extension-subject.js';

/** Reason of a report: others have changed what the fleet asks for. */
export const DRIFTED = 'Drifted';
const FORGED = `its annotation ${APPLIED_ANNOTATION}, the note of what the fleet applied, was changed or removed`;
/** Another writer that changes a field again and again is set back so often. */
const CORRECT_EVERY_MS = 60_000;

type DriftFinding = Readonly<{
  report: Partial<Pick<AssignmentReport, 'drift' | 'reason' | 'message' | 'since'>>;
  againAfterMs?: number;
}>;

/**
 * What users have changed in a cluster of what the fleet made there for a FleetOperator: set back, or
 * reported. What is compared is what was applied last: a change of the FleetOperator is none.
 */
export async function findDrift(
  place: OrderPlace,
  operator: FleetOperator,
  before: AssignmentReport | undefined,
  mayWrite: boolean,
): Promise<DriftFinding> {
  const { client, notes = UNSIGNED } = place;
  const objects = await (operator.spec.api === 'V1' ? extensionObjects : objectsOfFleet)(place, operator);
  const forged = objects.filter((object) => notes.isForged(client.cluster, object));
  const linesOf = (object: KubernetesObject) => (forged.includes(object) ? [FORGED] : driftOf(object));
  const drifted = objects.map((object) => ({ object, lines: linesOf(object) })).filter(({ lines }) => lines.length > 0);
  const at = place.clock?.now() ?? new Date();
  const isCorrected = before?.reason === DRIFT_CORRECTED && before.since !== undefined;
  if (drifted.length === 0) {
    // What was set back stays in the report until there is something else to say.
    return {
      report: isCorrected ? { reason: DRIFT_CORRECTED, message: ownPart(before.message), since: before.since } : {},
    };
  }
  const said = drifted.map(({ object: { kind, metadata }, lines }) => `${kind} ${metadata.name}: ${lines.join(', ')}`);
  const message = said.join(' and ');
  // What was applied is not known any more: the next roll-out applies what is asked for then.
  if (operator.spec.drift === 'Report' || !mayWrite || forged.length > 0) {
    return { report: { drift: true, reason: DRIFTED, message: reportText(message) } };
  }
  const leftMs = isCorrected ? leftOf(CORRECT_EVERY_MS, Date.parse(before.since ?? ''), at.getTime()) : 0;
  if (leftMs > 0) {
    const again = `${message} (it was set back a moment ago)`;
    const report = { drift: true, reason: DRIFT_CORRECTED, message: reportText(again), since: before?.since };
    return { report, againAfterMs: leftMs };
  }
  for (const { object } of drifted) {
    const applied = objectAsApplied(object);
    if (applied !== undefined) await client.apply(notes.noted(client.cluster, applied), { fieldManager: FLEET });
  }
  return {
    report: { reason: DRIFT_CORRECTED, message: reportText(`set back: ${message}`), since: at.toISOString() },
  };
}

/** The objects of a FleetOperator that are there: its Subscription, the group and the catalog of that. */
async function objectsOfFleet(
  { client }: OrderPlace,
  { metadata, spec }: FleetOperator,
): Promise<readonly KubernetesObject[]> {
  const list = await client.list(SUBSCRIPTION_API, { namespace: spec.namespace });
  const items = (list?.items ?? []).map((item) => ({ ...item, ...SUBSCRIPTION_API }) as KubernetesObject);
  const own = items.find(
    (item) => item.metadata.annotations?.[OPERATOR_ANNOTATION] === `${metadata.namespace}/${metadata.name}`,
  );
  const subscription = Subscription.safeParse(own).data;
  if (own === undefined || subscription === undefined) return [];
  const group = await groupOfFleet(client, spec);
  const { source: name, sourceNamespace: namespace } = subscription.spec;
  const catalog = await client.get({ ...CATALOG_SOURCE_API, name, namespace });
  const key = `${metadata.namespace}/${spec.catalog.fleetCatalog ?? ''}`;
  const isOurs = catalog?.metadata.annotations?.[CATALOG_ANNOTATION] === key;
  return [own, ...(group === undefined ? [] : [group]), ...(isOurs ? [catalog] : [])];
}

/** The group that the fleet made, or has adopted. */
async function groupOfFleet(
  client: KubeClient,
  { namespace, classic }: FleetOperator['spec'],
): Promise<KubernetesObject | undefined> {
  const { manage = 'Create' } = classic?.operatorGroup ?? {};
  if (manage === 'Use') return undefined;
  if (manage === 'Create') return client.get({ ...OPERATOR_GROUP_API, name: FLEET_GROUP, namespace });
  const items = (await client.list(OPERATOR_GROUP_API, { namespace }))?.items ?? [];
  const noted = items.find(({ metadata }) => metadata.annotations?.[APPLIED_ANNOTATION] !== undefined);
  return noted && { ...noted, ...OPERATOR_GROUP_API };
}

const PARTS = '; ';
/** What a report says of drift; what else it said comes after that. */
const ownPart = (message = ''): string => message.split(PARTS)[0] ?? '';

/** A finding with what has drifted. A reason of its own matters more. */
export function withDrift(finding: RowFinding, report: DriftFinding['report']): RowFinding {
  const { drift = finding.drift ?? false } = report;
  if (finding.reason !== undefined || report.reason === undefined) return { ...finding, drift };
  const message = [report.message, finding.message].filter((part) => part !== undefined).join(PARTS);
  return { ...finding, ...report, drift, message: reportText(message) };
}

/**
 * The roll-out of a row has ended with what it wants in the cluster: it was brought there, or, of a row
 * without an attempt, found.
 */
export const wasThere = ({ order, result }: AssignmentRow): boolean =>
  result === 'Done' && (order === 'Rest' || order === 'Preview');

/**
 * What a roll-out has left there is gone: it installs nothing a second time. The operator runs on without a
 * Subscription, and OLM resolves none for a package of which such a ClusterServiceVersion is there.
 */
export function subscriptionGone(
  { spec }: FleetOperator,
  bundle: string | undefined,
): Pick<RowFinding, 'drift' | 'reason' | 'message'> {
  const csv = bundle === undefined ? '' : ` ${bundle}`;
  const message =
    `the Subscription of package ${spec.package} in namespace ${spec.namespace} was deleted in the cluster. To have ` +
    `it installed again, delete ClusterServiceVersion${csv} there, too, where it is still there; then take the ` +
    'cluster out of the FleetOperator’s selector and in again';
  return { drift: true, reason: DRIFTED, message: reportText(message) };
}
