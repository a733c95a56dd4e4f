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
 * Writes the reports. Where the object has changed in between they are written all the same, about what is
 * still ordered, since some of it is found only once: a change that was set back. Returns false then: orders
 * have changed. What another applier has reported since stays.
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
export function isOnItsWay(report: AssignmentReport, before: AssignmentReport | undefined): before is AssignmentReport {
  if (before?.state !== 'Running' || report.state !== 'Running' || report.reason === RETURNING) return false;
  return canonicalJson({ ...report, ...NOT_YET }) === canonicalJson({ ...before, ...NOT_YET });
}

/**
 * Since when an attempt is as the report says: its deadline is judged by that. What was set back has a time
 * of its own.
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
  // A hub of before has kept no time: what it reported stays as it was.
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

/** The report of a row: what was found, and what follows from the row itself. */
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
