import type { AssignmentReport, FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import type { ClusterReport, Member, PlanReport } from '#core/rollout/controller/step/facts';
import { type SelectedCluster, selectedCluster } from '#core/rollout/placement/select-clusters';
import { isNewer } from '#core/rollout/review/plan-changes';
import { planClassName } from '#core/rollout/review/shown-differences';
import { CONFLICT, DRIFT_CORRECTED, RESOLUTION_FAILED } from './order-place.js';

type ClusterStatus = Readonly<{
  uid?: string;
  conditions?: readonly Readonly<{ type: string; status: string; lastTransitionTime?: string }>[];
}>;

/** What a report about a return says, by its reason. */
const RETURN_STATES: Readonly<Record<string, ClusterReport['state']>> = {
  Returning: 'Returning',
  Returned: 'Returned',
  ReturnFailed: 'ReturnFailed',
};

const HEX_OF_A_NUMBER = 12;
const numberOf = (value: unknown): number => Number.parseInt(canonicalHash(value).slice(0, HEX_OF_A_NUMBER), 16);

/** A cluster of the fleet, as its FleetCluster and its FleetAssignment show it. */
export class LiveCluster implements Member, SelectedCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly allowedNamespaces: readonly string[] | undefined;
  readonly isReachable: boolean;
  readonly lastContact: number;
  readonly isPaused: boolean;
  readonly pausedAt: number;
  readonly isReplaced: boolean;
  readonly generation: number;
  readonly identity: number | undefined;

  constructor(
    object: FleetCluster,
    readonly assignment: FleetAssignment | undefined,
    now: number,
    /** The same cluster with another assignment: what follows from its FleetCluster is taken from there. */
    before?: LiveCluster,
  ) {
    const status = (object.status ?? {}) as ClusterStatus;
    const condition = (type: string) => status.conditions?.find((one) => one.type === type);
    const reachable = condition('Reachable');
    this.name = object.metadata.name;
    const { labels, facts } = selectedCluster(object);
    this.labels = labels;
    this.facts = facts;
    this.allowedNamespaces = object.spec.allowedNamespaces;
    // Before anything was reported the cluster was never reached.
    this.isReachable = reachable?.status === 'True';
    this.lastContact = before?.lastContact ?? Date.parse(reachable?.lastTransitionTime ?? new Date(now).toISOString());
    this.isPaused = object.spec.paused;
    this.pausedAt = before?.pausedAt ?? now;
    this.isReplaced = condition('IdentityStable')?.status === 'False';
    this.generation = before?.generation ?? numberOf({ labels: this.labels, facts: this.facts });
    this.identity = before?.identity ?? (status.uid === undefined ? undefined : numberOf(status.uid));
  }

  report(subject: string): AssignmentReport | undefined {
    return this.assignment?.status?.rows.find((row) => row.subject === subject);
  }

  /** Whether a target is not installed there again. */
  isDenied(subject: string, target: string): boolean {
    return this.report(subject)?.denied.some(({ bundle }) => bundle === target) === true;
  }

  /** Something there is in the way of the subject. */
  hasConflict(subject: string): boolean {
    return this.report(subject)?.reason === CONFLICT;
  }

  /**
   * What the preview found there for a target. `specHash`: the roll-out brings another spec, to whatever is
   * installed.
   */
  plan(subject: string, target: string, specHash?: string): PlanReport | undefined {
    const report = this.report(subject);
    if (report === undefined) return undefined;
    const has = specHash === undefined ? report.bundle === target : hasSpec(report, target, specHash);
    const isUpToDate = has || (specHash === undefined && isAhead(report, target));
    const isForHere = report.planned === target || (specHash !== undefined && isSpecOnly(report));
    return planReport(report, isUpToDate, isUpToDate || (isForHere && report.planHash !== undefined));
  }

  /** What the preview found where the cluster gets what it plans itself; `asked`: what is asked for now. */
  ownPlan(subject: string, asked: string | undefined): PlanReport | undefined {
    const report = this.report(subject);
    if (report === undefined) return undefined;
    const { bundle, planned, planHash, specHash } = report;
    const isUpToDate = planned === undefined && bundle !== undefined && specHash === asked;
    return planReport(report, isUpToDate, isUpToDate || planHash !== undefined);
  }

  /** How many hops the path of a roll-out has there; undefined where the cluster is not on its way. */
  hopsOnTheWay(subject: string, rollout: string): number | undefined {
    const row = this.assignment?.spec.rows.find((one) => one.subject === subject);
    if (row?.rollout !== rollout || row?.order !== 'Go') return undefined;
    return Math.max(1, row.target?.hops.length ?? 0);
  }

  /** The attempt has ended at a newer version than the one that was ordered. */
  wentAhead(subject: string, rollout: string, attempt: number): boolean {
    const row = this.assignment?.spec.rows.find((one) => one.subject === subject);
    const report = this.report(subject);
    const ordered = row?.rollout === rollout && row.attempt === attempt ? row.target?.bundle : undefined;
    if (ordered === undefined || report?.rollout !== rollout || report.attempt !== attempt) return false;
    return report.state === 'Ready' && report.bundle !== undefined && isNewer(report.bundle, ordered);
  }

  /** It is ordered to go to this version: between two hops its report does not name that. */
  isOnItsWayTo(subject: string, target: string): boolean {
    const row = this.assignment?.spec.rows.find((one) => one.subject === subject);
    return row?.order === 'Go' && row.target?.bundle === target;
  }

  /** What the cluster reports about an attempt of a roll-out. */
  attempt(subject: string, rollout: string): ClusterReport | undefined {
    const report = this.report(subject);
    if (report === undefined || report.rollout !== rollout || report.attempt === 0) return undefined;
    const { attempt, state, hop, healthy, message = '' } = report;
    const isIdle = state === 'Ready';
    const returned = RETURN_STATES[report.reason ?? ''];
    const common = {
      attempt,
      hop: Math.max(1, hop),
      isIdle,
      isHealthy: isIdle && healthy,
      message,
      ...sinceOf(report),
    };
    if (returned !== undefined) return { ...common, state: returned };
    if (state === 'Failed' || state === 'Refused') return { ...common, state };
    if (isIdle) return { ...common, state: healthy ? 'Ready' : 'Unhealthy' };
    return { ...common, state: 'Running' };
  }
}

/** The time of a report about drift says when that was set back. */
const sinceOf = ({ since, reason }: AssignmentReport): Pick<ClusterReport, 'since'> =>
  since === undefined || reason === DRIFT_CORRECTED ? {} : { since: Date.parse(since) };

function planReport(report: AssignmentReport, isUpToDate: boolean, isPlanned: boolean): PlanReport {
  const hasFailed = !isPlanned && report.reason === RESOLUTION_FAILED;
  const hops = Math.max(1, report.hops.length);
  return {
    state: isPlanned ? 'Planned' : hasFailed ? 'Failed' : 'Planning',
    message: hasFailed ? (report.message ?? '') : '',
    isChanged: report.state === 'Refused',
    class: classOf(report),
    changes: report.changes,
    hops,
    hopsDone: isUpToDate ? hops : 0,
    isUpToDate,
    isNotUpgradeable: report.notUpgradeable === true,
  };
}

/** The cluster plans to keep its bundle, and to get another Subscription or catalog for it. */
export const isSpecOnly = ({ planned, bundle, planHash }: AssignmentReport): boolean =>
  planHash !== undefined && planned !== undefined && planned === bundle;

/** The cluster has planned with what is asked for, and lacks nothing of it, nor the target itself. */
const hasSpec = (report: AssignmentReport, target: string, specHash: string): boolean =>
  report.specHash === specHash &&
  report.bundle !== undefined &&
  (report.bundle === target || report.planned !== target) &&
  !isSpecOnly(report);

/**
 * What is installed is newer than the target, and the cluster would not go back (design: fleet.md §3.1).
 * While it is still planning, that is not known.
 */
export const isAhead = ({ bundle, planned, state }: AssignmentReport, target: string): boolean =>
  bundle !== undefined && planned !== target && state !== 'Planning' && isNewer(bundle, target);

/** The name of the plan class of a report. */
export const classOf = (report: Pick<AssignmentReport, 'planHash' | 'differences'>): string => planClassName(report);
