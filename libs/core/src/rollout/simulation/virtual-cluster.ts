import type { ChangeKind } from '../../kernel/api/fleet/fleet-strategy.js';
import type { ClusterReport, Member } from '../controller/step/facts.js';

/** A preview of one cluster for one roll-out. */
type VirtualPlan = {
  state: 'Planning' | 'Planned';
  isChanged: boolean;
  class: string;
  changes: readonly ChangeKind[];
  hops: number;
  isUpToDate: boolean;
  /** Other subjects that the plan moves too. */
  neighbours: readonly string[];
  /** Another version that the cluster has to get before the target. */
  first: string | undefined;
};

/** Work that takes time in a cluster and stops where it is while the cluster is offline. */
export type Activity = {
  /** What is done at its end. */
  end: () => void;
  left: number;
  endsAt: number | undefined;
};

/** A cluster of the simulation: what is true in it, and what the hub knows of it. */
export class VirtualCluster implements Member {
  labels: Readonly<Record<string, string>>;
  facts: Readonly<Record<string, unknown>>;
  generation = 1;
  identity = 1;
  isReplaced = false;
  isPaused: boolean;
  pausedAt = 0;
  /** How many faults keep it offline. */
  offlineFaults = 0;
  isReachable = true;
  lastContact: number;
  allowedNamespaces: readonly string[] | undefined;
  /** Nothing is installed but what was since: it took the place of another cluster. */
  isEmpty = false;
  readonly installed = new Map<string, string | null>();
  /** Bundles that users of the cluster have installed themselves, by subject. */
  readonly byHand = new Map<string, string>();
  readonly plans = new Map<string, VirtualPlan>();
  readonly reports = new Map<string, ClusterReport>();
  readonly activities = new Map<string, Activity>();
  /** What a roll-out found installed when it began here. */
  readonly previous = new Map<string, string | null>();
  /** Targets that are not installed here again, by subject. */
  readonly denied = new Map<string, Set<string>>();
  /** How a started attempt ended, by roll-out; it survives in the cluster itself. */
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
  ) {
    this.labels = given.labels;
    this.facts = given.facts;
    this.isPaused = given.isPaused;
    this.allowedNamespaces = given.allowedNamespaces;
    this.lastContact = joinedAt;
  }

  get isOnline(): boolean {
    return this.offlineFaults === 0;
  }

  relabel(labels: Readonly<Record<string, string>>): void {
    this.labels = labels;
    this.generation++;
  }
}
