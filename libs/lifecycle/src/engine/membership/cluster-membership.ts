import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import type { OlmDetectors } from '#platform/clusters/olm-detectors';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { JoinPace } from '#platform/membership/join-pace';
import type { ClusterChange, ServiceClusters } from '#platform/membership/service-clusters.port';
import type { Log } from '#platform/telemetry/log.port';
import { Resync, type ResyncItem } from './resync.js';

/** Work of a process in one cluster, from the moment the cluster joins until it leaves. */
export type ClusterPart = Readonly<{
  /** Begins the watches. Resolves once they have begun; never rejects. */
  start(): Promise<void>;
  /** Publishes every subject again, after Redis was emptied. */
  touchAll(): void;
  /** Returns the items to check again once in a period, changed or not. */
  resyncs(): readonly ResyncItem[];
  /** Ends watches and timers, when the process ends. */
  stop(): Promise<void>;
  /** As {@link stop}, and removes metrics: the cluster has left, or OLM takes it over. */
  leave(): Promise<void>;
}>;

/** The parts of one cluster, by name. */
type ClusterParts = Readonly<Record<string, ClusterPart>>;

type ClusterMembershipDeps<P extends ClusterParts> = Readonly<{
  clusters: Pick<ServiceClusters, 'subscribe'>;
  detectors: Pick<OlmDetectors, 'status' | 'againAfterMs'> & Partial<Pick<OlmDetectors, 'whenOwnerChanges' | 'doubt'>>;
  clock: Clock;
  log: Log;
  /** Evenly from 0 up to 1: spreads the work of a fleet over time. */
  random: () => number;
  resyncIntervalMs: number;
  /**
   * Creates the parts of a cluster that joins, without starting them. Rejects if the cluster does not answer.
   */
  partsOf: (client: KubeClient) => Promise<P>;
  /** Calls back if the store may have lost data. Resolves to a function that ends this. */
  watchStore: (onLoss: () => void) => Promise<() => void>;
}>;

/** A cluster of the registry. Its timers end when it leaves the registry. */
type Member<P> = { readonly client: KubeClient; readonly timers: Timers; joined?: Joined<P>; isChecking?: boolean };

/** A joined cluster. Its timers end when it leaves, so that nothing holds its parts in memory any longer. */
type Joined<P> = Readonly<{ parts: P; timers: Timers }>;

/** Clusters that were restored within this time of each other join again at different times. */
const TOGETHER_MS = 60_000;
/** Pause before a joined cluster that does not answer is checked again; its watches report it. */
const UNREACHED_MS = 30_000;

/**
 * The clusters that a process works on. A cluster joins as soon as the registry has it, it answers and
 * Flotilla acts there. Its contents are resynced at times of its own. It leaves once OLM works there or the
 * registry has dropped it. All parts of a cluster join and leave together.
 */
export class ClusterMembership<P extends ClusterParts> {
  readonly #members = new Map<string, Member<P>>();
  readonly #pace: JoinPace;
  readonly #timers: Timers;
  /** Times at which clusters went back, in milliseconds. */
  #wentBackAt: readonly number[] = [];

  constructor(private readonly deps: ClusterMembershipDeps<P>) {
    this.#pace = new JoinPace(deps.random);
    this.#timers = new Timers(deps.clock);
  }

  start(): void {
    this.#timers.add(this.deps.clusters.subscribe((changes) => this.#take(changes)));
    const end = this.deps.detectors.whenOwnerChanges?.((cluster) => void this.#ownerChanged(cluster));
    if (end !== undefined) this.#timers.add(end);
    void this.#watchStore();
  }

  /** Stops joins, departures and resyncs. Open watches stay open. */
  hold(): void {
    this.#timers.stop();
    for (const { timers, joined } of this.#members.values()) {
      timers.stop();
      joined?.timers.stop();
    }
  }

  async stop(): Promise<void> {
    this.hold();
    await Promise.all([...this.all().values()].flatMap(partsIn).map((part) => part.stop()));
  }

  /** Undefined for a cluster that has not joined, or has left. */
  of(cluster: string): P | undefined {
    return this.#members.get(cluster)?.joined?.parts;
  }

  /** All joined clusters. */
  all(): ReadonlyMap<string, P> {
    return new Map([...this.#joined()].map(([cluster, { parts }]) => [cluster, parts]));
  }

  /**
   * Returns the reason why the cluster could not join yet. Undefined if it has joined, or was not tried yet.
   */
  problemOf(cluster: string): string | undefined {
    return this.#pace.problemOf(cluster);
  }

  #joined(): readonly (readonly [string, Joined<P>])[] {
    return [...this.#members].flatMap(([cluster, { joined }]) => (joined === undefined ? [] : [[cluster, joined]]));
  }

  async #take(changes: readonly ClusterChange[]): Promise<void> {
    const joining = changes.filter(({ kind }) => kind === 'joined').length;
    await Promise.all(changes.map((change) => this.#takeOne(change, joining)));
  }

  async #takeOne(change: ClusterChange, joining: number): Promise<void> {
    const { cluster } = change;
    if (this.#timers.stopped) return;
    if (change.kind === 'left') return this.#forget(cluster);
    if (change.kind === 'joined') return this.#begin(change.client, joining);
    const member = this.#members.get(cluster);
    if (member === undefined) return;
    // Writes that were skipped while the cluster was paused are due now.
    if (change.what === 'resumed') for (const { run } of resyncsOf(member.joined?.parts ?? {})) run();
    if (change.what === 'access' && member.joined === undefined) {
      member.timers.stop();
      this.#begin(member.client, 1);
    }
  }

  #begin(client: KubeClient, joining: number): void {
    const { cluster } = client;
    const member: Member<P> = { client, timers: new Timers(this.deps.clock) };
    this.#members.set(cluster, member);
    const check = () => this.#check(member).catch((error: unknown) => this.#failed(member, error));
    member.timers.repeat(this.#pace.turn(joining), check);
  }

  /** Called when another hub begins or ends to manage the cluster, so that it leaves or joins at once. */
  async #ownerChanged(cluster: string): Promise<void> {
    const member = this.#members.get(cluster);
    if (member === undefined || this.#timers.stopped || member.isChecking) return;
    member.timers.stop();
    await this.#leave(member);
    if (this.#members.get(cluster) === member && !this.#timers.stopped) this.#begin(member.client, 1);
  }

  /**
   * Called when the API server of the cluster has another history than before, as after a restore. The
   * cluster leaves, and joins like a new one: held state of it is no longer valid.
   */
  async #wentBack(member: Member<P>): Promise<void> {
    const { cluster } = member.client;
    if (this.#members.get(cluster) !== member || this.#timers.stopped) return;
    const now = this.deps.clock.now().getTime();
    this.#wentBackAt = [...this.#wentBackAt.filter((at) => now - at < TOGETHER_MS), now];
    member.timers.stop();
    this.deps.detectors.doubt?.(cluster);
    await this.#leave(member);
    if (this.#members.get(cluster) !== member || this.#timers.stopped) return;
    this.#begin(member.client, this.#wentBackAt.length);
  }

  /** Called when the registry no longer lists the cluster. */
  async #forget(cluster: string): Promise<void> {
    const member = this.#members.get(cluster);
    if (member === undefined) return;
    this.#members.delete(cluster);
    member.timers.stop();
    await this.#leave(member);
    this.#pace.succeeded(cluster);
  }

  /** Joins or leaves, as the cluster's status requires. Returns the milliseconds until the next check. */
  async #check(member: Member<P>): Promise<number> {
    const { cluster } = member.client;
    const { acts } = await this.#statusOf(member);
    if (acts) await this.#join(member);
    else if (!this.#timers.stopped) await this.#leave(member);
    return this.deps.detectors.againAfterMs(cluster);
  }

  /** Checks the cluster. The mark keeps changes found by the check from starting another one. */
  async #statusOf(member: Member<P>) {
    member.isChecking = true;
    try {
      return await this.deps.detectors.status(member.client.cluster);
    } finally {
      member.isChecking = false;
    }
  }

  /** Logs the failure to join. Returns the milliseconds until the next try, longer after each failure. */
  #failed({ client: { cluster }, timers, joined }: Member<P>, error: unknown): number {
    if (joined !== undefined || timers.stopped) return UNREACHED_MS;
    const { delayMs, news } = this.#pace.failed(cluster, error);
    this.deps.log[news ? 'warn' : 'debug']({ cluster, error, delayMs }, 'could not reach cluster yet');
    return delayMs;
  }

  async #join(member: Member<P>): Promise<void> {
    const { client, timers } = member;
    if (member.joined !== undefined || timers.stopped) return;
    const parts = await this.deps.partsOf(client);
    if (timers.stopped) {
      await Promise.all(partsIn(parts).map((part) => part.stop()));
      return;
    }
    const joined = { parts, timers: new Timers(this.deps.clock) };
    member.joined = joined;
    const unfollow = client.history?.onOther(() => void this.#wentBack(member));
    if (unfollow !== undefined) joined.timers.add(unfollow);
    this.#pace.succeeded(client.cluster);
    await Promise.all(partsIn(parts).map((part) => part.start()));
    const { clock, resyncIntervalMs: periodMs } = this.deps;
    const { cluster } = client;
    new Resync({ cluster, periodMs, clock, timers: joined.timers, items: () => resyncsOf(parts) }).start();
  }

  /** Ends the watches and writes in a cluster. A later check finds out if OLM has gone. */
  async #leave(member: Member<P>): Promise<void> {
    this.#pace.succeeded(member.client.cluster);
    const { joined } = member;
    if (joined === undefined) return;
    delete member.joined;
    joined.timers.stop();
    await Promise.all(partsIn(joined.parts).map((part) => part.leave()));
  }

  /** An emptied store is filled again at once instead of at the next resync. */
  async #watchStore(): Promise<void> {
    const watching = this.deps.watchStore(() => this.#touchAll());
    const stop = await watching.catch(() => undefined); // the store never answered before this process had to end
    if (stop !== undefined) this.#timers.add(stop);
  }

  #touchAll(): void {
    const joined = this.#joined();
    for (const [, { parts, timers }] of joined) {
      timers.after(this.#pace.turn(joined.length), () => {
        for (const part of partsIn(parts)) part.touchAll();
      });
    }
  }
}

const partsIn = (parts: ClusterParts): readonly ClusterPart[] => Object.values(parts);
const resyncsOf = (parts: ClusterParts): readonly ResyncItem[] => partsIn(parts).flatMap((part) => part.resyncs());
