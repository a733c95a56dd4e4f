import type { ChangeKind } from '../../../kernel/api/fleet/fleet-strategy.js';
import type { WindowHold } from '../../windows/window-rules.js';
import type { GateAnswer } from './gate-progress.js';

/** What the hub knows of a cluster. */
export type Member = Readonly<{
  name: string;
  labels: Readonly<Record<string, string>>;
  facts: Readonly<Record<string, unknown>>;
  /** Grows with each change of labels and facts. */
  generation: number;
  isReachable: boolean;
  /** When it was last heard of; one that never was: when it joined. */
  lastContact: number;
  isPaused: boolean;
  pausedAt: number;
  /** Another one when another cluster answers under its name; undefined: it never answered. */
  identity: number | undefined;
  /** That other cluster was not accepted yet. */
  isReplaced: boolean;
}>;

/** What a preview found for one cluster. */
export type PlanReport = Readonly<{
  /** `Failed`: the cluster cannot have the target; `message` says why. */
  state: 'Planning' | 'Planned' | 'Failed';
  message?: string;
  /** Another plan than the one before is being made. */
  isChanged: boolean;
  class: string;
  changes: readonly ChangeKind[];
  hops: number;
  /** Hops of the path that lie behind the cluster; all where the target is installed. */
  hopsDone: number;
  isUpToDate: boolean;
  /** The installed operator says that it must not be upgraded now. */
  isNotUpgradeable?: boolean;
}>;

/** What a cluster reports of the order that it carries out. */
export type ClusterReport = Readonly<{
  attempt: number;
  state: 'Running' | 'Refused' | 'Failed' | 'Ready' | 'Unhealthy' | 'Returning' | 'Returned' | 'ReturnFailed';
  /** The hop that runs, or the last that ended where `isIdle`. */
  hop: number;
  isIdle: boolean;
  isHealthy: boolean;
  message: string;
  /** Since when that is so, where the cluster says it: a controller that was away judges by that time. */
  since?: number;
}>;

/** True if `versions` of the subject admits the version of a cluster that is ahead of the target. */
export type Ahead = 'Allowed' | 'NotAllowed';

/** Why a cluster that is gone from a roll-out is gone. */
export type RemovedReason = 'Left' | 'Unplaced' | 'Replaced';

/** What a step reads besides the roll-out itself. Every answer is that of the instant of the step. */
export type RolloutFacts = Readonly<{
  member: (cluster: string) => Member | undefined;
  /** Whether the subject is to be in this cluster. */
  isTarget: (cluster: string) => boolean;
  /** Whether a cluster without a row gets one: not where a newer roll-out has decided for it. */
  mayJoin: (cluster: string) => boolean;
  plan: (cluster: string) => PlanReport | undefined;
  report: (cluster: string) => ClusterReport | undefined;
  /** Why the cluster cannot go back, or undefined. */
  returnCheck: (cluster: string) => string | undefined;
  /** Without a cluster the gate is asked for the wave as a whole. Undefined: its answer is not there yet. */
  gateAnswer: (gate: string, cluster: string | null, wave: number, attempt: number) => GateAnswer | undefined;
  /** Windows that hold the cluster; those that a break-glass decision lifts do not. */
  windowHold: (cluster: string, isStart: boolean) => WindowHold | undefined;
  isDeniedByWindow: (cluster: string) => boolean;
  /** Windows in the way of this roll-out's clusters that this user's groups may not lift. */
  isWindowInTheWay: (groups: readonly string[]) => boolean;
  needsCatalog: (cluster: string) => boolean;
  hasOtherRollout: (cluster: string) => boolean;
  /** Its plan moves other subjects too, and not all of these have it approved. */
  waitsForNeighbour: (cluster: string) => boolean;
  /** An older subject for the same package and namespace acts there. */
  hasConflict: (cluster: string) => boolean;
  /** The cluster has planned another target, which no roll-out brings yet. */
  plansOther: (cluster: string) => boolean;
  /** A Skip decision holds there, also where the row that said so is lost. */
  isSkipped: (cluster: string) => boolean;
  /**
   * The cluster has a newer version than the target, and nothing leads back: `Allowed` if `versions` lets
   * that one in. Undefined: the cluster is not ahead.
   */
  ahead: (cluster: string) => Ahead | undefined;
  /** The target is denied in this cluster. */
  isTargetDenied: (cluster: string) => boolean;
  /** No cluster has the target, or is led to it any more. */
  isTargetWithdrawn: boolean;
  isSubjectPaused: boolean;
  /** A newer roll-out of the subject waits for its turn. */
  hasQueued: boolean;
  isNewest: boolean;
  /** `active`, or the newest Completed one; `held` while a newer one is active. */
  role: 'active' | 'standing' | 'held' | 'frozen';
}>;
