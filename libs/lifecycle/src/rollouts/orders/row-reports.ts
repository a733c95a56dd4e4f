import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { countsOf, FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { RETURNING } from '#core/rollout/controller/facts/report-reasons';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { OrderMemo } from './place/order-memo.js';
import type { RowFinding } from './place/row-finding.js';
/**
 * Writes the reports. If the object has changed meanwhile, writes reports of rows that are still ordered, and
 * returns false. These reports cannot wait: some findings occur only once, such as a corrected change. Newer
 * reports of another applier stay.
 */
export async function writeReports(
  hub: KubeClient,
  stored: KubernetesObject,
  before: readonly AssignmentReport[],
  rows: readonly AssignmentReport[],
): Promise<boolean> {
  const write = (object: KubernetesObject, all: readonly AssignmentReport[]) => {
    const status = { ...(object['status'] ?? {}), rows: all, counts: countsOf(all) };
    return hub.updateStatus({ ...object, status }).then(() => true, unlessConflict);
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

/** Fields that change in the course of an attempt, and count once it has ended. */
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
 * True if an attempt continues to run. No decision depends on the version that is installed meanwhile, and
 * the end of the attempt is reported with everything (why: fleet-rollouts.md "An attempt is reported twice").
 */
export function isOnItsWay(report: AssignmentReport, before: AssignmentReport | undefined): before is AssignmentReport {
  if (before?.state !== 'Running' || report.state !== 'Running' || report.reason === RETURNING) return false;
  return canonicalJson({ ...report, ...NOT_YET }) === canonicalJson({ ...before, ...NOT_YET });
}

/**
 * Returns the time since which an attempt has the reported state. The deadline of the attempt counts from it.
 * A corrected change has a time of its own.
 */
export function sinceWhen(
  { foundAt }: OrderMemo,
  report: AssignmentReport,
  before: AssignmentReport | undefined,
  now: Date,
): Pick<AssignmentReport, 'since'> {
  const { subject, attempt } = report;
  if (attempt === 0 || report.since !== undefined) return {};
  const state = stateOf(report);
  // An older hub has kept no time: its report stays as it was.
  if (before !== undefined && state === stateOf(before))
    return before.since === undefined ? {} : { since: before.since };
  const known = foundAt.get(subject);
  if (known?.state === state) return { since: known.since };
  const since = now.toISOString();
  foundAt.set(subject, { state, since });
  return { since };
}

const stateOf = ({ rollout, attempt, state, hop, healthy }: AssignmentReport): string =>
  canonicalJson([rollout, attempt, state, hop, state === 'Ready' && healthy]);

/** Returns the report of a row: the finding, and the parts that follow from the row itself. */
export const reportOf = (row: AssignmentRow, finding: RowFinding): AssignmentReport => ({
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
