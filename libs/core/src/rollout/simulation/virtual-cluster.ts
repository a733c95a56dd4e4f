import type { AssignmentReport, AssignmentRow } from '../../kernel/api/fleet/fleet-assignment.js';
import type { ChangeKind } from '../../kernel/api/fleet/fleet-strategy.js';
import type { KnownCluster } from '../controller/facts/fleet-view.js';
import type { FleetSubject } from '../controller/record/subjects.js';
import type { ClusterReport } from '../controller/step/facts.js';
import { isNewer } from '../review/plan-changes.js';

/** A preview of one cluster for one rollout. */
export type VirtualPlan = {
  readonly subject: FleetSubject;
  readonly target: string;
  state: 'Planning' | 'Planned';
  isChanged: boolean;
  class: string;
  changes: ChangeKind[];
  /** Names of the plans of its path. */
  hops: string[];
  /** Other subjects that the plan moves too. */
  neighbours: readonly string[];
  /** Another version that the cluster has to get before the target. */
  first: string | undefined;
};

/** Work that takes time in a cluster, and is suspended while the cluster is offline. */
export type Activity = {
  /** Called at its end. */
  end: () => void;
  left: number;
  endsAt: number | undefined;
};

/** A cluster of the simulation: its true state, and the hub's knowledge of it. */
export class VirtualCluster implements KnownCluster {
  labels: Readonly<Record<string, string>>;
  facts: Readonly<Record<string, unknown>>;
  generation = 1;
  identity = 1;
  isReplaced = false;
  isPaused: boolean;
  pausedAt = 0;
  /** The number of faults that keep it offline. */
  offlineFaults = 0;
  isReachable = true;
  lastContact: number;
  allowedNamespaces: readonly string[] | undefined;
  /** True if it replaced another cluster: only later installs are in it. */
  isEmpty = false;
  readonly installed = new Map<string, string | null>();
  /** Bundles that users of the cluster have installed themselves, by subject. */
  readonly byHand = new Map<string, string>();
  /** Orders in its FleetAssignment, by rollout. */
  readonly orders = new Map<string, AssignmentRow>();
  readonly plans = new Map<string, VirtualPlan>();
  readonly reports = new Map<string, ClusterReport>();
  readonly activities = new Map<string, Activity>();
  /** Wave of each rollout that has begun something here. */
  readonly waves = new Map<string, string>();
  /** Bundle before each rollout. */
  readonly previous = new Map<string, string | null>();
  /** Targets that are not installed here again, by subject. */
  readonly denied = new Map<string, Map<string, 'Cluster' | 'Operator'>>();
  /** The ends of started attempts, by rollout. They survive in the cluster itself. */
  readonly results = new Map<string, Readonly<{ phase: 'Failed' | 'RolledBack'; reason: string; attempt: number }>>();
  /** Orders that wait until the cluster is online, by subject. */
  readonly waitingOrders = new Map<string, () => void>();

  constructor(
    readonly name: string,
    readonly joinedAt: number,
    given: Readonly<{
      labels: Readonly<Record<string, string>>;
      facts: Readonly<Record<string, unknown>>;
      isPaused: boolean;
      allowedNamespaces: readonly string[] | undefined;
    }>,
    private readonly reportOf: (
      cluster: VirtualCluster,
      subject: string,
      rollout?: string,
    ) => AssignmentReport | undefined,
  ) {
    this.labels = given.labels;
    this.facts = given.facts;
    this.isPaused = given.isPaused;
    this.allowedNamespaces = given.allowedNamespaces;
    this.lastContact = joinedAt;
  }

  order(_subject: string, rollout: string): AssignmentRow | undefined {
    return this.orders.get(rollout);
  }

  report(subject: string, rollout?: string): AssignmentReport | undefined {
    return this.reportOf(this, subject, rollout);
  }

  get isOnline(): boolean {
    return this.offlineFaults === 0;
  }

  /** Suspends work. It continues once the cluster is online again. */
  stopWork(now: number): void {
    for (const activity of this.activities.values()) {
      if (activity.endsAt === undefined) continue;
      activity.left = activity.endsAt - now;
      activity.endsAt = undefined;
    }
  }

  /** Forgets everything of the previous cluster. Another cluster now has its name. */
  becomeAnother(): void {
    this.identity++;
    this.isReplaced = true;
    this.isEmpty = true;
    this.installed.clear();
    this.byHand.clear();
    for (const map of [this.orders, this.plans, this.reports, this.activities, this.previous]) map.clear();
    for (const map of [this.results, this.denied, this.waitingOrders, this.waves]) map.clear();
  }

  /** Gets a bundle by hand: an attempt with an older target ends there. */
  goAhead(key: string, bundle: string, now: number): void {
    this.activities.delete(key);
    this.byHand.set(key, bundle);
    this.installed.set(key, bundle);
    for (const [rollout, { subject, order, attempt, hop = 1, target }] of this.orders) {
      if (subject !== key || order !== 'Go' || !isNewer(bundle, target?.bundle ?? bundle)) continue;
      const end = { state: 'Ready', isIdle: true, isHealthy: true, message: '', since: now } as const;
      this.reports.set(rollout, { ...end, attempt, hop });
    }
  }

  /** Notes that a bundle is not installed again here, or for the whole subject. */
  deny(key: string, bundle: string, scope: 'Cluster' | 'Operator'): void {
    this.denied.set(key, new Map([...(this.denied.get(key) ?? []), [bundle, scope]]));
  }

  relabel(labels: Readonly<Record<string, string>>): void {
    this.labels = labels;
    this.generation++;
  }
}
