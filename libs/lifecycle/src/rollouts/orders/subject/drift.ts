import { FLEET } from '#core/kernel/actions/field-managers';
import type { AssignmentReport } from '#core/kernel/api/fleet/fleet-assignment';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { leftOf } from '#core/kernel/durations/left-of';
import { DRIFT_CORRECTED } from '#core/rollout/controller/facts/report-reasons';
import { APPLIED_ANNOTATION, driftOf, objectAsApplied } from '#core/rollout/desired/drift';
import type { OrderCluster } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';

/** Reason of a report: others have changed fields that the fleet desires. */
export const DRIFTED = 'Drifted';
const FORGED = `its annotation ${APPLIED_ANNOTATION}, the note of what the fleet applied, was changed or removed`;
/** Interval for corrections if another writer changes a field again and again. */
const CORRECT_EVERY_MS = 60_000;

type DriftFinding = Readonly<{
  report: Partial<Pick<AssignmentReport, 'drift' | 'reason' | 'message' | 'since'>>;
  againAfterMs?: number;
}>;

/**
 * Corrects, or reports, changes by users of the objects that the fleet created for a FleetOperator in a
 * cluster. The comparison is with the last applied objects: a change of the FleetOperator is no drift.
 */
export async function correctDrift(
  { client, notes, clock }: OrderCluster,
  objects: readonly KubernetesObject[],
  before: AssignmentReport | undefined,
  mayCorrect: boolean,
): Promise<DriftFinding> {
  const forged = objects.filter((object) => notes.isForged(client.cluster, object));
  const linesOf = (object: KubernetesObject) => (forged.includes(object) ? [FORGED] : driftOf(object));
  const drifted = objects.map((object) => ({ object, lines: linesOf(object) })).filter(({ lines }) => lines.length > 0);
  const at = clock.now();
  const isCorrected = before?.reason === DRIFT_CORRECTED && before.since !== undefined;
  if (drifted.length === 0) {
    // A correction stays in the report until there is something else to say.
    return {
      report: isCorrected ? { reason: DRIFT_CORRECTED, message: ownPart(before.message), since: before.since } : {},
    };
  }
  const said = drifted.map(({ object: { kind, metadata }, lines }) => `${kind} ${metadata.name}: ${lines.join(', ')}`);
  const message = said.join(' and ');
  // The last applied objects are not known any more: the next rollout applies the desired ones.
  if (!mayCorrect || forged.length > 0) {
    return { report: { drift: true, reason: DRIFTED, message: reportText(message) } };
  }
  const leftMs = isCorrected ? leftOf(CORRECT_EVERY_MS, Date.parse(before.since ?? ''), at.getTime()) : 0;
  if (leftMs > 0) {
    const again = `${message} (it was reverted a moment ago)`;
    const report = { drift: true, reason: DRIFT_CORRECTED, message: reportText(again), since: before?.since };
    return { report, againAfterMs: leftMs };
  }
  for (const { object } of drifted) {
    const applied = objectAsApplied(object);
    if (applied !== undefined) await client.apply(notes.noted(client.cluster, applied), { fieldManager: FLEET });
  }
  return {
    report: { reason: DRIFT_CORRECTED, message: reportText(`reverted: ${message}`), since: at.toISOString() },
  };
}

const PARTS = '; ';
/** Returns the text about drift in a report; the rest of the report's text comes after it. */
const ownPart = (message = ''): string => message.split(PARTS)[0] ?? '';

/** Returns a finding with the drift. The finding's own reason matters more. */
export function withDrift(finding: RowFinding, report: DriftFinding['report']): RowFinding {
  const { drift = finding.drift ?? false } = report;
  if (finding.reason !== undefined || report.reason === undefined) return { ...finding, drift };
  const message = [report.message, finding.message].filter((part) => part !== undefined).join(PARTS);
  return { ...finding, ...report, drift, message: reportText(message) };
}
