import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import type { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import { JoinPace } from './join-pace.js';

/** What a process does in one cluster from the moment the cluster joins until it leaves. */
export type ClusterPart = Readonly<{
  /** Begins the watches. Resolves once they have begun; never rejects. */
  start(): Promise<void>;
  /** Redis was emptied: every subject is published again. */
  touchAll(): void;
  /** Every object is checked again, changed or not. */
  resync(): void;
  /** The process ends: ends watches and timers. */
  stop(): Promise<void>;
  /** The cluster is left to OLM: as {@link stop}, and its metrics are removed. */
  leave(): Promise<void>;
}>;

/** The parts of one cluster, by name. */
export type ClusterParts = Readonly<Record<string, ClusterPart>>;

export type ClusterMembershipDeps<P extends ClusterParts> = Readonly<{
  clients: readonly KubeClient[];
  detectors: Pick<OlmDetectors, 'status' | 'againAfterMs'>;
  clock: Clock;
  log: Log;
  /** Evenly from 0 up to 1: spreads the work of a fleet over time. */
  random: () => number;
  resync: Readonly<{ intervalMs: number; jitterPercent: number }>;
  /** The parts of a cluster that joins, not started yet. Rejects where the cluster does not answer. */
  partsOf: (client: KubeClient) => Promise<P>;
  /** Has the callback called whenever Redis was emptied. Resolves to what ends this. */
  watchRedis: (onEmptied: () => void) => Promise<() => void>;
}>;

/** A joined cluster. Its timers end when it leaves, so that nothing holds its parts in memory any longer. */
type Joined<P> = Readonly<{ parts: P; timers: Timers }>;

/** A joined cluster that does not answer is checked again after so long; its watches report it. */
const UNREACHED_MS = 30_000;

/**
 * Which clusters a process works on. A cluster joins as soon as it answers and Flotilla acts there, is
 * resynced at times of its own, and leaves once OLM works there. All parts of a cluster do this together.
 */
export class ClusterMembership<P extends ClusterParts> {
  readonly #joined = new Map<string, Joined<P>>();
  readonly #pace: JoinPace;
  readonly #timers: Timers;

  constructor(private readonly deps: ClusterMembershipDeps<P>) {
    this.#pace = new JoinPace({ clusters: deps.clients.length, random: deps.random });
    this.#timers = new Timers(deps.clock);
  }

  start(): void {
    for (const client of this.deps.clients) {
      const check = () => this.#check(client).catch((error: unknown) => this.#failed(client.cluster, error));
      this.#timers.repeat(this.#pace.turn(), check);
    }
    void this.#watchRedis();
  }

  async stop(): Promise<void> {
    this.#timers.stop();
    const joined = [...this.#joined.values()];
    for (const { timers } of joined) timers.stop();
    await Promise.all(joined.flatMap(({ parts }) => partsIn(parts)).map((part) => part.stop()));
  }

  /** Undefined for a cluster that has not joined, or has left. */
  of(cluster: string): P | undefined {
    return this.#joined.get(cluster)?.parts;
  }

  /** All joined clusters. */
  all(): ReadonlyMap<string, P> {
    return new Map([...this.#joined].map(([cluster, { parts }]) => [cluster, parts]));
  }

  /** Why the cluster could not join yet; undefined where it has joined, or was not tried yet. */
  problemOf(cluster: string): string | undefined {
    return this.#pace.problemOf(cluster);
  }

  /** Joins or leaves, as the cluster's status has it. Returns the milliseconds until the next check. */
  async #check(client: KubeClient): Promise<number> {
    const { cluster } = client;
    const { acts } = await this.deps.detectors.status(cluster);
    if (acts) await this.#join(client);
    else await this.#leave(cluster);
    return this.deps.detectors.againAfterMs(cluster);
  }

  /** A cluster that cannot be reached yet is tried again, less and less often; it holds up no other. */
  #failed(cluster: string, error: unknown): number {
    if (this.#joined.has(cluster)) return UNREACHED_MS;
    const { delayMs, news } = this.#pace.failed(cluster, error);
    this.deps.log[news ? 'warn' : 'debug']({ cluster, error, delayMs }, 'cluster cannot be reached yet');
    return delayMs;
  }

  async #join(client: KubeClient): Promise<void> {
    const { cluster } = client;
    if (this.#joined.has(cluster) || this.#timers.stopped) return;
    const parts = await this.deps.partsOf(client);
    if (this.#timers.stopped) {
      await Promise.all(partsIn(parts).map((part) => part.stop()));
      return;
    }
    const joined = { parts, timers: new Timers(this.deps.clock) };
    this.#joined.set(cluster, joined);
    this.#pace.succeeded(cluster);
    await Promise.all(partsIn(parts).map((part) => part.start()));
    this.#resyncIn(this.#resyncMs() * this.deps.random(), joined);
  }

  /** From now on nothing is watched or written there; a later check finds out whether OLM has gone. */
  async #leave(cluster: string): Promise<void> {
    this.#pace.succeeded(cluster);
    const joined = this.#joined.get(cluster);
    if (joined === undefined || this.#timers.stopped) return;
    this.#joined.delete(cluster);
    joined.timers.stop();
    await Promise.all(partsIn(joined.parts).map((part) => part.leave()));
  }

  /** Each cluster at times of its own: a fleet's work is spread over the whole interval. */
  #resyncIn(delayMs: number, joined: Joined<P>): void {
    joined.timers.after(delayMs, () => {
      for (const part of partsIn(joined.parts)) part.resync();
      this.#resyncIn(this.#resyncMs(), joined);
    });
  }

  #resyncMs(): number {
    const { intervalMs, jitterPercent } = this.deps.resync;
    return intervalMs * (1 + (jitterPercent / 100) * (2 * this.deps.random() - 1));
  }

  /** An emptied Redis is filled again at once instead of at the next resync. */
  async #watchRedis(): Promise<void> {
    const watching = this.deps.watchRedis(() => this.#touchAll());
    const stop = await watching.catch(() => undefined); // Redis never answered before this process had to end
    if (stop !== undefined) this.#timers.add(stop);
  }

  #touchAll(): void {
    for (const { parts, timers } of this.#joined.values()) {
      timers.after(this.#pace.turn(), () => {
        for (const part of partsIn(parts)) part.touchAll();
      });
    }
  }
}

const partsIn = (parts: ClusterParts): readonly ClusterPart[] => Object.values(parts);
