import { durationMs } from '../../placement/waves.js';
import type { Draft } from './draft.js';
import type { ClusterReport, Member, RemovedReason } from './facts.js';
import { afterAnswer, dueAt, isDue, nextDueAt } from './gate-progress.js';
import type { RowPhase } from './phases.js';
import { isInFlight, type RolloutRow } from './row.js';

/**
 * Returns a row's next state by the facts alone: the row ends, fails, is verified, is skipped or is removed.
 */
export function movedByFacts(row: RolloutRow, draft: Draft): RolloutRow {
  const gone = removedReason(row, draft);
  if (gone !== undefined) return { ...row, phase: 'Removed', reason: gone };
  const member = draft.facts.member(row.cluster);
  if (member === undefined) return row;
  if (isInFlight(row)) return inFlight(row, member, draft);
  switch (row.phase) {
    case 'Waiting':
      return fromWaiting(row, member, draft);
    case 'Done':
      return fromDone(row, member, draft);
    case 'Failed':
      return isSkipped(row, draft) ? skippedByDecision(row) : row;
    case 'RollingBack':
      return fromRollingBack(row, member, draft);
    case 'Skipped':
      return fromSkipped(row, member, draft);
    default:
      return row;
  }
}

function removedReason(row: RolloutRow, { facts, status }: Draft): RemovedReason | undefined {
  if (facts.role === 'frozen' && !status.isGoingBack) return undefined;
  const member = facts.member(row.cluster);
  if (member === undefined) return 'Left';
  if (row.identity !== undefined && row.identity !== (member.identity ?? row.identity)) return 'Replaced';
  return facts.isTarget(row.cluster) ? undefined : 'Unplaced';
}

const skipped = (row: RolloutRow, reason: string): RolloutRow => ({
  ...row,
  phase: 'Skipped',
  reason,
  keepsWave: true,
});
/**
 * Returns the row of a cluster after a Skip decision. The decision ends waiting or failed work, and an
 * earlier failure no longer counts.
 */
export const skippedByDecision = (row: RolloutRow): RolloutRow => ({
  ...skipped(row, 'ByDecision'),
  isFailure: false,
  goBack: undefined,
});
/** True if a Skip decision holds for the row. Rebuilt rows do not know the decision. */
const isSkipped = ({ cluster }: RolloutRow, { facts }: Draft): boolean =>
  facts.role !== 'frozen' && facts.isSkipped(cluster);

export const failed = (row: RolloutRow, reason: string, message = ''): RolloutRow => ({
  ...row,
  phase: 'Failed',
  reason,
  message,
  isRunning: false,
  isFailure: true,
});

/** Returns the reason why a cluster is skipped at once, even before its wave opens. */
function skipReason(cluster: string, member: Member, { facts }: Draft): string | undefined {
  if (member.isReplaced) return 'IdentityChanged';
  if (member.isPaused) return 'ClusterPaused';
  if (facts.hasConflict(cluster)) return 'Conflict';
  // A newer rollout keeps the clusters that it left Done or Failed.
  if (facts.role === 'held' || !facts.mayJoin(cluster)) return 'Superseded';
  if (facts.isTargetDenied(cluster) || facts.ahead(cluster) === 'NotAllowed') return 'VersionNotAllowed';
  return facts.plansOther(cluster) ? 'OtherTarget' : undefined;
}

function fromWaiting(row: RolloutRow, member: Member, draft: Draft): RolloutRow {
  const { facts, status } = draft;
  if (facts.role === 'frozen') return row;
  if (isSkipped(row, draft)) return skippedByDecision(row);
  const reason = skipReason(row.cluster, member, draft);
  if (reason !== undefined) return skipped(row, reason);
  if (facts.ahead(row.cluster) !== undefined) return aheadRow(row);
  const plan = facts.plan(row.cluster);
  if (plan?.state === 'Planned' && plan.isUpToDate && row.attempt === 0 && !row.isRetry) {
    return { ...row, phase: 'Done', reason: 'UpToDate' };
  }
  const wave = status.waves[row.wave];
  const isOpen = wave?.phase === 'Open' || wave?.phase === 'Soaking' || wave?.phase === 'Complete';
  if (isOpen && member.isReachable && plan?.state === 'Failed') return failed(row, 'ResolutionFailed', plan.message);
  if (!isOpen || !isOverdue(member, row, draft)) return row;
  const { offline } = draft.rules(row.wave);
  if (offline === 'Skip') return skipped(row, 'Offline');
  return offline === 'Fail' ? failed(row, 'Offline') : row;
}

/** Silent for longer than the wave's grace. */
const isOverdue = (member: Member, row: RolloutRow, draft: Draft): boolean =>
  !member.isReachable && draft.now >= member.lastContact + durationMs(draft.rules(row.wave).offlineGrace);

function inFlight(row: RolloutRow, member: Member, draft: Draft): RolloutRow {
  if (!member.isReachable) return whileSilent(row, member, draft);
  if (row.reason === 'Unreachable') return resumed({ ...row, reason: 'Reachable' }, draft.now);
  const ahead = draft.facts.ahead(row.cluster);
  if (ahead === 'NotAllowed') return atRest(skipped(row, 'VersionNotAllowed'));
  if (ahead !== undefined) return aheadRow(row);
  const report = draft.facts.report(row.cluster);
  const current = report?.attempt === row.attempt ? report : undefined;
  if (current?.state === 'Refused') return refused(row);
  if (isLate(row, current, draft.now)) return failed(row, 'ProgressDeadlineExceeded', atStep(row, draft));
  if (current?.state === 'Failed') return failed(row, 'ApplyFailed', atStep(row, draft, current.message));
  return row.phase === 'Applying' ? applying(row, current, draft) : verifying(row, current, draft);
}

/** Returns the row at rest: nothing of an attempt runs any more. */
const atRest = (row: RolloutRow): RolloutRow => ({
  ...row,
  isRunning: false,
  deadlineAt: undefined,
  heldSince: undefined,
  gates: {},
  gatesSince: undefined,
});
const refused = (row: RolloutRow): RolloutRow => atRest({ ...row, phase: 'Waiting', reason: 'PlanChanged' });
/**
 * Returns the row of a cluster with a newer version than the target. It is up to date, regardless of the
 * progress of an attempt.
 */
const aheadRow = (row: RolloutRow): RolloutRow =>
  atRest({ ...row, phase: 'Done', reason: 'UpToDate', isFailure: false, isRetry: false, goBack: undefined });

function whileSilent(row: RolloutRow, member: Member, draft: Draft): RolloutRow {
  if (row.reason !== 'Unreachable') {
    return { ...row, reason: 'Unreachable', heldSince: row.heldSince ?? member.lastContact };
  }
  const { offline } = draft.rules(row.wave);
  if (offline === 'Wait' || !isOverdue(member, row, draft)) return row;
  if (offline === 'Fail') return failed(row, 'Offline');
  return { ...skipped(row, 'LostContact'), isRunning: false };
}

/** Resumes the deadline and the time of gates, extended by the time during which they did not run. */
function resumed(row: RolloutRow, now: number): RolloutRow {
  if (row.heldSince === undefined) return row;
  const held = now - row.heldSince;
  const later = (time: number | undefined) => (time === undefined ? undefined : time + held);
  return { ...row, heldSince: undefined, deadlineAt: later(row.deadlineAt), gatesSince: later(row.gatesSince) };
}

/** The deadline of an order runs once its row is written (decision 0181). */
export const orderedLate = (row: RolloutRow, lateMs: number): RolloutRow =>
  lateMs > 0 && row.deadlineAt !== undefined ? { ...row, deadlineAt: row.deadlineAt + lateMs } : row;

const isPastDeadline = (row: RolloutRow, now: number): boolean =>
  row.heldSince === undefined && row.deadlineAt !== undefined && now >= row.deadlineAt;

/**
 * True if the cluster's report came after its deadline. A controller that was down did not see the deadline
 * pass.
 */
function isLate({ heldSince, deadlineAt }: RolloutRow, report: ClusterReport | undefined, now: number): boolean {
  if (heldSince !== undefined || deadlineAt === undefined || report?.since === undefined) return false;
  return reportedAt(report, now) > deadlineAt;
}

/** Returns since when a report is as it is. The clock of an applier may be ahead of the controller's. */
const reportedAt = ({ since }: ClusterReport, now: number): number => Math.min(since ?? now, now);

/** Names the failed step of a path, and the reason if it is known. */
function atStep(row: RolloutRow, { facts }: Draft, why = ''): string {
  const hops = facts.plan(row.cluster)?.hops ?? 1;
  const step = hops === 1 ? '' : `step ${row.hop} of ${hops}`;
  return [step, why].filter((text) => text !== '').join(': ');
}

function applying(row: RolloutRow, report: ClusterReport | undefined, draft: Draft): RolloutRow {
  const { facts, now } = draft;
  const isHopDone = row.isRunning && report?.isIdle === true && report.hop >= row.hop;
  if (isHopDone) {
    const hops = facts.plan(row.cluster)?.hops ?? 1;
    if (row.hop >= hops) return { ...row, phase: 'Verifying', reason: 'Applied', isRunning: false };
    // Kept or sent on later in this step. The deadline does not run while no controller sends it on.
    const isOld = report.since !== undefined && report.since < now;
    return { ...row, isRunning: false, heldSince: isOld ? report.since : row.heldSince };
  }
  return isPastDeadline(row, now) ? failed(row, 'ProgressDeadlineExceeded', atStep(row, draft)) : row;
}

function verifying(row: RolloutRow, report: ClusterReport | undefined, draft: Draft): RolloutRow {
  const { now } = draft;
  if (report?.isHealthy !== true) {
    return isPastDeadline(row, now) ? failed(row, 'ProgressDeadlineExceeded') : row;
  }
  const gates = draft.rules(row.wave).gates.filter(({ when, scope }) => when === 'After' && scope === 'Cluster');
  const first = askedFirst(row, report, now);
  const since = first.gatesSince ?? now;
  const isOver = ({ timeout }: (typeof gates)[number]): boolean => now >= since + durationMs(timeout);
  // A question at the end of its time would be answered later.
  const asked = askedGates(
    first,
    gates.filter((gate) => !isOver(gate)),
    draft,
  );
  const states = gates.map(({ name }) => asked.gates[name]?.state);
  if (states.every((state) => state === 'Green')) {
    return { ...asked, phase: 'Done', reason: 'Healthy', doneAt: now, isFailure: false, deadlineAt: undefined };
  }
  if (states.includes('Red')) return failed(asked, 'GateRed', gates[states.indexOf('Red')]?.name);
  const late = gates.find((gate, at) => states[at] !== 'Green' && isOver(gate));
  if (late !== undefined) return failed(asked, 'GateTimeout', late.name);
  if (isPastDeadline(asked, now)) return failed(asked, 'ProgressDeadlineExceeded');
  return asked;
}

/** The deadline does not run while no controller asks the gates of a cluster that is healthy. */
function askedFirst(row: RolloutRow, report: ClusterReport, now: number): RolloutRow {
  if (row.gatesSince !== undefined || row.deadlineAt === undefined || row.reason === 'Rebuilt') return row;
  return { ...row, deadlineAt: row.deadlineAt + (now - reportedAt(report, now)) };
}

/** Asks the gates of a cluster that are due; Green stays until the next attempt. */
export function askedGates(
  row: RolloutRow,
  gates: ReturnType<Draft['rules']>['gates'],
  { facts, now }: Draft,
): RolloutRow {
  let progress = row.gates;
  for (const gate of gates) {
    const before = progress[gate.name];
    if (before?.state === 'Green' || !isDue(before, gate, now)) continue;
    const answer = facts.gateAnswer(gate.name, row.cluster, row.wave, row.attempt);
    if (answer === undefined) continue;
    progress = { ...progress, [gate.name]: afterAnswer(before, gate, answer, now) };
  }
  if (progress === row.gates && row.gatesSince !== undefined) return row;
  return { ...row, gates: progress, gatesSince: row.gatesSince ?? now };
}

function fromDone(row: RolloutRow, member: Member, { facts, status }: Draft): RolloutRow {
  const isActive = facts.role === 'active' && status.phase !== 'Completed';
  if (!isActive || (row.reason !== 'Healthy' && row.reason !== 'Rebuilt') || !member.isReachable) return row;
  const report = facts.report(row.cluster);
  const isLost = report?.attempt === row.attempt && report.state === 'Unhealthy';
  return isLost ? { ...failed(row, 'HealthLost'), isFailure: true } : row;
}

function fromRollingBack(row: RolloutRow, member: Member, draft: Draft): RolloutRow {
  const report = draft.facts.report(row.cluster);
  if (member.isReachable && report?.state === 'Returned') {
    return { ...row, phase: 'RolledBack', reason: 'Returned', isRunning: false };
  }
  const hasFailed = member.isReachable && report?.state === 'ReturnFailed';
  return hasFailed || isOverdue(member, row, draft) ? returnFailed(row, report?.message) : row;
}

/** Returns the row after a failed return. It is not retried without a decision. */
export const returnFailed = (row: RolloutRow, message = ''): RolloutRow => ({
  ...failed(row, 'RollbackFailed', message),
  goBack: row.goBack === undefined ? undefined : { ...row.goBack, blocked: 'RollbackFailed' },
});

/** The causes of a Skipped cluster that can end by themselves. */
function fromSkipped(row: RolloutRow, member: Member, draft: Draft): RolloutRow {
  const { facts } = draft;
  if (facts.role === 'frozen' || facts.role === 'held' || row.reason === 'ByDecision') return row;
  if (skipReason(row.cluster, member, draft) !== undefined) return row;
  const waitsForContact = row.reason === 'Offline' || row.reason === 'LostContact';
  if (waitsForContact && !member.isReachable) return row;
  return waitingAgain(row, draft);
}

/** A row that waits again, with a reason that the same step settles. */
export const waitingAgain = (row: RolloutRow, { facts }: Draft): RolloutRow => {
  const isReachable = facts.member(row.cluster)?.isReachable === true;
  const phase: RowPhase = 'Waiting';
  return { ...row, phase, reason: isReachable ? 'Planning' : 'Offline', message: '', gates: {}, gatesSince: undefined };
};

/**
 * Returns the time at which a row must be examined again by the clock alone: the earliest of its gates,
 * deadline and grace.
 */
export function wakeOf(row: RolloutRow, draft: Pick<Draft, 'facts' | 'rules' | 'status' | 'now'>): number | undefined {
  const member = draft.facts.member(row.cluster);
  const rules = draft.rules(row.wave);
  const times: number[] = [];
  if (member !== undefined && !member.isReachable && row.phase !== 'Done' && row.phase !== 'RolledBack') {
    times.push(member.lastContact + durationMs(rules.offlineGrace));
  }
  if (member?.isPaused === true && row.goBack !== undefined) {
    times.push(member.pausedAt + durationMs(rules.offlineGrace));
  }
  if (isInFlight(row) && row.heldSince === undefined && row.deadlineAt !== undefined) times.push(row.deadlineAt);
  times.push(...gateTimes(row, rules.gates, draft.now));
  const later = times.filter((time) => time > draft.now);
  return later.length === 0 ? undefined : Math.min(...later);
}

/** Returns the times at which gates of a cluster are asked again, or run out of time. */
function gateTimes(row: RolloutRow, gates: ReturnType<Draft['rules']>['gates'], now: number): number[] {
  const since = row.gatesSince;
  if (since === undefined || (row.phase !== 'Verifying' && row.phase !== 'Waiting')) return [];
  const when = row.phase === 'Verifying' ? 'After' : 'Before';
  // Only a gate that can run out of time is checked again before its answer comes.
  const isAsked = when === 'After' && row.heldSince === undefined;
  return gates
    .filter((gate) => gate.when === when && gate.scope === 'Cluster' && row.gates[gate.name]?.state !== 'Green')
    .flatMap((gate) => [
      isAsked ? nextDueAt(row.gates[gate.name], gate, now) : dueAt(row.gates[gate.name], gate.interval),
      ...(when === 'After' ? [since + durationMs(gate.timeout)] : []),
    ]);
}
