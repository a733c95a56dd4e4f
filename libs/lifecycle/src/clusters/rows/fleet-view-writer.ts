import { type ClusterSigns, clusterRow } from '#core/view/rows/cluster-row';
import { reachOf } from '#core/view/rows/reach';
import { changedRow, type WrittenRow, writtenRow } from '#core/view/rows/row-differences';
import type { ViewRow } from '#core/view/rows/rows';
import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import { inParallel } from '#platform/fairness/in-parallel';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import type { Freshness } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import type { ViewWriter } from '#platform/view/view-store.port';
import type { ClusterRows } from './cluster-rows.js';

/** A joined cluster. */
type JoinedRows = Readonly<{ rows: ClusterRows; freshness: () => Freshness; serverVersion: string }>;

type FleetViewWriterDeps = Readonly<{
  writer: ViewWriter;
  clusters: ServiceClusters;
  clock: Clock;
  log: Log;
  /** True if the cluster is left to OLM, or another hub manages it. */
  isHeld: (cluster: string) => boolean;
  /** Returns the reason why it could not join yet. */
  problemOf: (cluster: string) => string | undefined;
  of: (cluster: string) => JoinedRows | undefined;
  /**
   * True if this process is responsible for removing rows of the cluster, even if the cluster is not known.
   */
  owns: (cluster: string) => boolean;
}>;

const CHECK_EVERY_MS = 2_000;
/** Interval for removing rows of clusters that left while no poller ran. */
const SWEEP_EVERY_MS = 60_000;
const AT_ONCE = 8;
const NO_LABELS = {};

/**
 * Writes rows that no cluster can write itself: clusters that do not answer, are left to OLM, or have left. A
 * cluster that another poller takes over keeps its rows.
 */
export class FleetViewWriter {
  readonly #timers: Timers;
  /** Rows of clusters that have not joined, each with its labels at that time. */
  readonly #alone = new Map<string, Readonly<{ row: WrittenRow; labels: ClusterSigns['labels'] }>>();
  readonly #known = new Set<string>();
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor(private readonly deps: FleetViewWriterDeps) {
    this.#timers = new Timers(deps.clock);
  }

  start(): void {
    this.#timers.every(CHECK_EVERY_MS, () => this.#soon(() => this.#check()));
    this.#timers.every(SWEEP_EVERY_MS, () => this.#soon(() => this.#sweep()));
    this.#soon(() => this.#sweep());
  }

  async stop(): Promise<void> {
    this.#timers.stop();
    await this.#running;
  }

  /** Redis was emptied: clusters that have joined are published again by themselves. */
  emptied(): void {
    this.#alone.clear();
  }

  /** Returns the state of the cluster's connection. Undefined while nothing is certain. */
  factsOf(cluster: string): ClusterSigns | undefined {
    const { clusters, clock, isHeld, problemOf, of } = this.deps;
    const joined = of(cluster);
    const freshness = joined?.freshness();
    const lastSeenMs = freshness?.lastSeen.getTime() ?? 0;
    const found = reachOf({
      isHeld: isHeld(cluster),
      isRefused: clusters.hasLeft(cluster),
      problem: problemOf(cluster),
      watches: freshness && { ...freshness, lastSeenMs },
      nowMs: clock.now().getTime(),
    });
    if (found === undefined) return undefined;
    const lastSeen = lastSeenMs <= 0 ? '' : new Date(lastSeenMs).toISOString();
    const paused = clusters.isPaused(cluster);
    return {
      cluster,
      login: clusters.knownLogin(cluster),
      version: joined?.serverVersion ?? '',
      ...found,
      lastSeen,
      paused,
      labels: clusters.labelsOf?.(cluster) ?? NO_LABELS,
    };
  }

  /** Runs pieces of work one after the other. A slow check does not run twice at the same time. */
  #soon(work: () => Promise<void>): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = work()
      .catch((error: unknown) => {
        if (!this.#timers.stopped) this.deps.log.warn({ error: String(error) }, 'could not write rows of clusters');
      })
      .finally(() => {
        this.#isRunning = false;
      });
  }

  async #check(): Promise<void> {
    const { clusters, of } = this.deps;
    const known = clusters.known();
    for (const cluster of known) this.#known.add(cluster);
    const alone: string[] = [];
    for (const cluster of known) {
      const joined = of(cluster);
      if (joined === undefined) alone.push(cluster);
      else {
        this.#alone.delete(cluster);
        joined.rows.checkReach();
      }
    }
    await inParallel(alone, AT_ONCE, (cluster) => this.#writeAlone(cluster));
    const still = new Set(known);
    await inParallel(
      [...this.#known].filter((one) => !still.has(one)),
      AT_ONCE,
      (one) => this.#forget(one),
    );
  }

  /** Keeps the last rows, except for a cluster that another manager has. */
  async #writeAlone(cluster: string): Promise<void> {
    const { writer } = this.deps;
    const facts = this.factsOf(cluster);
    if (facts === undefined) return;
    const before = this.#alone.get(cluster);
    if (before !== undefined && before.row.state === facts.reach && before.labels === facts.labels) return;
    const { row, change, removed } = this.#aloneChange(facts, await writer.rowsOf(cluster));
    if (change !== undefined || removed.length > 0) {
      await writer.write({ cluster, changed: change === undefined ? [] : [change], removed });
    }
    this.#alone.set(cluster, { row: writtenRow(change ?? row), labels: facts.labels });
  }

  #aloneChange(facts: ClusterSigns, rows: readonly ViewRow[]) {
    const isLeft = facts.reach === 'left-to-olm' || facts.reach === 'refused';
    const others = rows.filter(({ kind }) => kind !== 'cluster');
    const own = rows.find((row) => row.kind === 'cluster');
    const known = { version: facts.version || (own?.version ?? ''), lastSeen: facts.lastSeen || (own?.lastSeen ?? '') };
    const summed = isLeft ? [] : others.map(writtenRow);
    const row = clusterRow({ ...facts, ...known }, summed, this.deps.clock.now().toISOString());
    const change = changedRow(row, own && writtenRow(own));
    return { row, change, removed: isLeft ? others.map(({ id }) => id) : [] };
  }

  /** Forgets a cluster that is no more in the hub, or that another poller has now. */
  async #forget(cluster: string): Promise<void> {
    if (this.deps.clusters.hasLeft(cluster)) await this.#remove(cluster);
    this.#known.delete(cluster);
    this.#alone.delete(cluster);
  }

  async #sweep(): Promise<void> {
    const { writer, clusters, owns } = this.deps;
    const known = new Set(clusters.known());
    const others = (await writer.clusters()).filter((cluster) => !known.has(cluster) && owns(cluster));
    await inParallel(others, AT_ONCE, (cluster) => this.#remove(cluster));
  }

  async #remove(cluster: string): Promise<void> {
    const { writer } = this.deps;
    const removed = await writer.idsOf(cluster);
    if (removed.length > 0) await writer.write({ cluster, changed: [], removed });
  }
}
