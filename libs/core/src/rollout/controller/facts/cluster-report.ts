import type { AssignmentReport, AssignmentRow } from '../../../kernel/api/fleet/fleet-assignment.js';
import { isNewer } from '../../review/plan-changes.js';
import { planClassName } from '../../review/shown-differences.js';
import type { ClusterReport, PlanReport } from '../step/facts.js';
import { DRIFT_CORRECTED, RESOLUTION_FAILED, RETURN_FAILED, RETURNED, RETURNING } from './report-reasons.js';

type Order = AssignmentRow | undefined;
type Report = AssignmentReport | undefined;

/** States of a return, by the reason of the report about it. */
const RETURN_STATES: Readonly<Record<string, ClusterReport['state']>> = {
  [RETURNING]: 'Returning',
  [RETURNED]: 'Returned',
  [RETURN_FAILED]: 'ReturnFailed',
};

/**
 * Returns the plan of a cluster for a target. `specHash`: the rollout brings another spec, to any installed
 * bundle.
 */
export function planFor(report: AssignmentReport, target: string, specHash?: string): PlanReport {
  const has = specHash === undefined ? report.bundle === target : hasSpec(report, target, specHash);
  const isUpToDate = has || (specHash === undefined && isAhead(report, target));
  const isForHere = report.planned === target || (specHash !== undefined && isSpecOnly(report));
  return planReport(report, isUpToDate, isUpToDate || (isForHere && report.planHash !== undefined));
}

/** Returns the plan of a cluster that gets its own target. `asked`: the hash of the desired spec. */
export function ownPlanIn(report: AssignmentReport, asked: string | undefined): PlanReport {
  const { bundle, planned, planHash, specHash } = report;
  const isUpToDate = planned === undefined && bundle !== undefined && specHash === asked;
  return planReport(report, isUpToDate, isUpToDate || planHash !== undefined);
}

function planReport(report: AssignmentReport, isUpToDate: boolean, isPlanned: boolean): PlanReport {
  const hasFailed = !isPlanned && report.reason === RESOLUTION_FAILED;
  const hops = Math.max(1, report.hops.length);
  // Reports name a path as a whole, or the rest of it.
  const behind = report.state === 'Planned' ? report.hop : 0;
  return {
    state: isPlanned ? 'Planned' : hasFailed ? 'Failed' : 'Planning',
    message: hasFailed ? (report.message ?? '') : '',
    isChanged: report.state === 'Refused',
    class: classOf(report),
    changes: report.changes,
    hops,
    hopsDone: isUpToDate ? hops : behind,
    isUpToDate,
    isNotUpgradeable: report.notUpgradeable === true,
  };
}

/** True if the cluster plans to keep its bundle, and to get another Subscription or catalog for it. */
export const isSpecOnly = ({ planned, bundle, planHash }: AssignmentReport): boolean =>
  planHash !== undefined && planned !== undefined && planned === bundle;

/** True if the cluster has planned with the desired spec, and is missing nothing of it, nor the target. */
const hasSpec = (report: AssignmentReport, target: string, specHash: string): boolean =>
  report.specHash === specHash &&
  report.bundle !== undefined &&
  (report.bundle === target || report.planned !== target) &&
  !isSpecOnly(report);

/**
 * True if the installed bundle is newer than the target, and the cluster would not go back (design: fleet.md
 * §3.1). While it is still planning, that is not known.
 */
export const isAhead = ({ bundle, planned, state }: AssignmentReport, target: string): boolean =>
  bundle !== undefined && planned !== target && state !== 'Planning' && isNewer(bundle, target);

/** Returns the name of the plan class of a report. */
export const classOf = (report: Pick<AssignmentReport, 'planHash' | 'differences'>): string => planClassName(report);

/** Returns how many hops the path of a rollout has in a cluster; undefined: it is not on its way. */
export function hopsOnTheWay(order: Order, rollout: string): number | undefined {
  if (order?.rollout !== rollout || order.order !== 'Go') return undefined;
  return Math.max(1, order.target?.hops.length ?? 0);
}

/** True if an attempt has ended at a newer version than the ordered one. */
export function wentAhead(order: Order, report: Report, rollout: string, attempt: number): boolean {
  const ordered = order?.rollout === rollout && order.attempt === attempt ? order.target?.bundle : undefined;
  if (ordered === undefined || report?.rollout !== rollout || report.attempt !== attempt) return false;
  return report.state === 'Ready' && report.bundle !== undefined && isNewer(report.bundle, ordered);
}

/** True if the target is not installed there again. */
export const isDeniedThere = (report: Report, target: string): boolean =>
  report?.denied.some(({ bundle }) => bundle === target) === true;

/** Returns the report about an attempt of a rollout. */
export function attemptOf(report: Report, rollout: string): ClusterReport | undefined {
  if (report === undefined || report.rollout !== rollout || report.attempt === 0) return undefined;
  const { attempt, state, hop, healthy, message = '' } = report;
  const isIdle = state === 'Ready';
  const returned = RETURN_STATES[report.reason ?? ''];
  const common = { attempt, hop: Math.max(1, hop), isIdle, isHealthy: isIdle && healthy, message, ...sinceOf(report) };
  if (returned !== undefined) return { ...common, state: returned };
  if (state === 'Failed' || state === 'Refused') return { ...common, state };
  if (isIdle) return { ...common, state: healthy ? 'Ready' : 'Unhealthy' };
  return { ...common, state: 'Running' };
}

/** Returns since when an attempt is as reported. A report about drift has the time of its correction. */
const sinceOf = ({ since, reason }: AssignmentReport): Pick<ClusterReport, 'since'> =>
  since === undefined || reason === DRIFT_CORRECTED ? {} : { since: Date.parse(since) };
