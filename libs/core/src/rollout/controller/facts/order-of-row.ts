import type { AssignmentRow } from '../../../kernel/api/fleet/fleet-assignment.js';
import { approversOf, countedVotes } from '../../review/class-approval.js';
import type { RolloutRecord } from '../record/rollout-record.js';
import { isInFlight, isMoving, type RolloutRow } from '../step/row.js';
import type { FleetView, KnownCluster } from './fleet-view.js';

const RESULTS = new Set(['Done', 'Failed', 'RolledBack', 'Skipped']);
const timeOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

/**
 * Returns the order of a row for its cluster. Returns `Keep` if another rollout of the subject has begun to
 * move the cluster: that rollout's order stays.
 */
export function orderOfRow(
  record: RolloutRecord,
  row: RolloutRow,
  cluster: KnownCluster,
  fleet: Pick<FleetView, 'rolloutsOf' | 'isOwn'>,
): AssignmentRow | 'Keep' {
  const { spec, status } = record;
  const { records } = fleet.rolloutsOf(spec.subject);
  const isMoved = records.some((other) => other !== record && isMoving(other.rows.get(cluster.name)));
  if (isMoved && !isMoving(row)) return 'Keep';
  const isOwn = fleet.isOwn(record, cluster);
  const { votes = [], changes = [] } = status.classes.find(({ name }) => name === row.class) ?? {};
  const counted = approversOf(countedVotes(votes, changes));
  const plan = planOf(record, row, cluster);
  const result = RESULTS.has(row.phase)
    ? { result: row.phase as AssignmentRow['result'], resultReason: row.reason }
    : {};
  return {
    subject: spec.subject,
    rollout: spec.name,
    wave: spec.waves[row.wave]?.name,
    order: kindOf(row),
    attempt: row.attempt,
    ...(plan.hops.length > 1 ? { hop: row.hop } : {}),
    ...(spec.trigger === 'Retry' || row.isRetry ? { liftsDenial: true } : {}),
    target: { bundle: isOwn ? ownBundle(record, row, cluster) : bundleOf(record, row, cluster), ...plan },
    // An attempt keeps its approvers.
    approvedBy: counted.length === 0 && row.attempt > 0 ? approversOf(votes) : counted,
    ...checksOf(record, row),
    ...(row.goBack === undefined ? {} : { denies: row.goBack.denies }),
    ...result,
    deadlineAt: timeOf(row.deadlineAt),
    doneAt: timeOf(row.doneAt),
  };
}

/** Returns the checks of objects in the cluster that are due now, before a change or after it. */
function checksOf({ spec }: RolloutRecord, { phase, reason, wave }: RolloutRow): Pick<AssignmentRow, 'checks'> {
  const isBefore = phase === 'Waiting' && reason === 'GateBefore';
  if (!isBefore && phase !== 'Verifying') return {};
  const when = isBefore ? 'Before' : 'After';
  const gates = spec.waves[wave]?.spec.gates ?? [];
  const checks = gates.flatMap(({ name, interval, cel, when: asked }) =>
    cel !== undefined && asked === when ? [{ name, interval, cel }] : [],
  );
  return checks.length === 0 ? {} : { checks };
}

/** Causes that a preview finds and ends. */
const FOUND_BY_PREVIEW: ReadonlySet<string> = new Set(['OtherTarget', 'Conflict']);

function kindOf(row: RolloutRow): AssignmentRow['order'] {
  if (isInFlight(row)) return 'Go';
  if (row.phase === 'RollingBack') return 'Return';
  if (row.phase === 'Skipped' && FOUND_BY_PREVIEW.has(row.reason)) return 'Preview';
  return RESULTS.has(row.phase) && row.attempt > 0 ? 'Rest' : 'Preview';
}

/** A rollout of another spec leaves each cluster at its version. */
function bundleOf({ spec }: RolloutRecord, row: RolloutRow, cluster: KnownCluster): string {
  if (spec.specHash === undefined) return spec.target;
  const before = cluster.order(spec.subject, spec.name);
  const isOrdered = isInFlight(row) && before?.rollout === spec.name && before.attempt === row.attempt;
  if (isOrdered && before.order === 'Go' && before.target?.bundle !== undefined) return before.target.bundle;
  const { planned, bundle = spec.target } = cluster.report(spec.subject, spec.name) ?? {};
  return planned === spec.target ? spec.target : bundle;
}

/** Keeps the target of an attempt. */
function ownBundle({ spec }: RolloutRecord, row: RolloutRow, cluster: KnownCluster): string {
  const before = cluster.order(spec.subject, spec.name);
  const isSame = row.attempt > 0 && before?.rollout === spec.name && before.attempt === row.attempt;
  const ordered = isSame && before.order !== 'Preview' ? before.target?.bundle : undefined;
  const { planned, bundle } = cluster.report(spec.subject, spec.name) ?? {};
  return ordered ?? planned ?? bundle ?? spec.target;
}

type OrderedPlan = Pick<NonNullable<AssignmentRow['target']>, 'hops' | 'planHash' | 'differences' | 'catalogDigest'>;

/** Returns the plan of a cluster in flight: the ordered one, even if the cluster now plans another. */
function planOf({ spec }: RolloutRecord, row: RolloutRow, cluster: KnownCluster): OrderedPlan {
  if (!isInFlight(row)) return { hops: [] };
  const before = cluster.order(spec.subject, spec.name);
  const isSame = before?.rollout === spec.name && before.attempt === row.attempt;
  const ordered = isSame && before.target?.planHash !== undefined ? before.target : undefined;
  const { planHash, differences, hops = [], catalogDigest } = ordered ?? cluster.report(spec.subject, spec.name) ?? {};
  if (planHash === undefined) return { hops: [] };
  return {
    ...{ hops: [...hops], planHash },
    ...(differences === undefined ? {} : { differences }),
    ...(catalogDigest === undefined ? {} : { catalogDigest }),
  };
}
