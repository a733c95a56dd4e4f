import type { ChangeKind } from '../../../kernel/api/fleet/fleet-strategy.js';
import type { WindowHold } from '../../windows/window-rules.js';
import type { GateAnswer } from './gate-progress.js';

/** The hub's knowledge of a cluster. */
export type Member = Readonly<{
  name: string;
  labels: Readonly<Record<string, string>>;
  facts: Readonly<Record<string, unknown>>;
  /** Grows with each change of labels and facts. */
  generation: number;
  isReachable: boolean;
  /** The time of its last contact. If there was none, the time at which it joined. */
  lastContact: number;
  isPaused: boolean;
  pausedAt: number;
  /** Another one when another cluster answers under its name; undefined: it never answered. */
  identity: number | undefined;
  /** True if a different cluster answers under the name and was not accepted yet. */
  isReplaced: boolean;
}>;

/** The result of a preview for one cluster. */
export type PlanReport = Readonly<{
  /** `Failed`: the cluster cannot have the target; `message` says why. */
  state: 'Planning' | 'Planned' | 'Failed';
  message?: string;
  /** True while another plan than the previous one is being computed. */
  isChanged: boolean;
  class: string;
  changes: readonly ChangeKind[];
  hops: number;
  /** Hops of the path that the cluster has completed. All if the target is installed. */
  hopsDone: number;
  isUpToDate: boolean;
  /** The installed operator says that it must not be upgraded now. */
  isNotUpgradeable?: boolean;
}>;

/** A cluster's report about the order that it carries out. */
export type ClusterReport = Readonly<{
  attempt: number;
  state: 'Running' | 'Refused' | 'Failed' | 'Ready' | 'Unhealthy' | 'Returning' | 'Returned' | 'ReturnFailed';
  /** The hop that runs. If `isIdle`, the hop that ended last. */
  hop: number;
  isIdle: boolean;
  isHealthy: boolean;
  message: string;
  /**
   * The time since when the report holds, if the cluster gives it. A controller that was down judges by that
   * time.
   */
  since?: number;
}>;

/** The newest attempt of a rollout that its cluster has kept. `isThere`: the cluster has what it brings. */
export type KeptAttempt = Readonly<{
  attempt: number;
  hop: number;
  wave: string | undefined;
  result: 'Failed' | 'RolledBack' | undefined;
  reason: string;
  isRunning: boolean;
  isThere: boolean;
  isHealthy: boolean;
}>;

/** True if `versions` of the subject admits the version of a cluster that is ahead of the target. */
export type Ahead = 'Allowed' | 'NotAllowed';

/** The reason why a cluster was removed from a rollout. */
export type RemovedReason = 'Left' | 'Unplaced' | 'Replaced';

/** Facts that a step reads besides the rollout itself. Every answer is for the instant of the step. */
export type RolloutFacts = Readonly<{
  member: (cluster: string) => Member | undefined;
  /** True if this cluster is a target of the subject. */
  isTarget: (cluster: string) => boolean;
  /** True if a cluster without a row gets one. False if a newer rollout has decided for it. */
  mayJoin: (cluster: string) => boolean;
  plan: (cluster: string) => PlanReport | undefined;
  report: (cluster: string) => ClusterReport | undefined;
  /** Returns the newest attempt of the rollout there, as long as no order names one. */
  keptAttempt: (cluster: string) => KeptAttempt | undefined;
  /** Returns the reason why the cluster cannot roll back, or undefined. */
  returnCheck: (cluster: string) => string | undefined;
  /**
   * Returns a gate's answer. Without a cluster the gate is asked for the wave as a whole. Undefined if the
   * answer has not arrived yet.
   */
  gateAnswer: (gate: string, cluster: string | null, wave: number, attempt: number) => GateAnswer | undefined;
  /** Windows that hold the cluster; those that a break-glass decision lifts do not. */
  windowHold: (cluster: string, isStart: boolean) => WindowHold | undefined;
  isDeniedByWindow: (cluster: string) => boolean;
  /** Windows in the way of this rollout's clusters that this user's groups may not lift. */
  isWindowInTheWay: (groups: readonly string[]) => boolean;
  needsCatalog: (cluster: string) => boolean;
  hasOtherRollout: (cluster: string) => boolean;
  /** True if its plan moves other subjects too, and not all of these have it approved. */
  waitsForNeighbour: (cluster: string) => boolean;
  /** An older subject for the same package and namespace acts there. */
  hasConflict: (cluster: string) => boolean;
  /** True if the cluster plans another target that no rollout delivers yet. */
  plansOther: (cluster: string) => boolean;
  /** True if a Skip decision holds there, even if the row with it was lost. */
  isSkipped: (cluster: string) => boolean;
  /**
   * Says if the cluster is ahead: it has a newer version than the target, and no path leads back. `Allowed`
   * if `versions` admits its version. Undefined if it is not ahead.
   */
  ahead: (cluster: string) => Ahead | undefined;
  /** The target is denied in this cluster. */
  isTargetDenied: (cluster: string) => boolean;
  /** True if no cluster has the target, or is led to it any more. */
  isTargetWithdrawn: boolean;
  isSubjectPaused: boolean;
  /** True if the subject was deleted. */
  isSubjectGone: boolean;
  /** A newer rollout of the subject waits for its turn. */
  hasQueued: boolean;
  isNewest: boolean;
  /** `active`, or the newest Completed one; `held` while a newer one is active. */
  role: 'active' | 'standing' | 'held' | 'frozen';
}>;
