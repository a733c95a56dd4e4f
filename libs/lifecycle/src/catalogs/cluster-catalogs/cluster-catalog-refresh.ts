import { retryDelay } from '#core/classic/catalog-source/catalog-pace';
import type { ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import { isPaused } from '#core/kernel/api/paused-catalog';
import { isAskedAgain, retryAskedAt } from '#core/kernel/api/retried-catalog';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { type CatalogFailure, failureOf } from '#core/v1/cluster-catalog/catalog-failure';
import { desiredContentOf, pollDelayMs } from '#core/v1/cluster-catalog/cluster-catalog-spec';
import type { ServedState } from '#core/v1/cluster-catalog/cluster-catalog-status';
import type { Clock } from '#platform/clock/clock.port';
import { Demand } from '#platform/fairness/demand';
import type { ServedContent } from '#platform/metas/serve-metas';
import { RefreshLoop } from '../refresh-loop.js';
import { type CatalogJsonl, type LoadJsonl, NoCatalogContent } from './catalog-jsonl.js';
import type { MetasLease, SharedMetas } from './shared-metas.js';

export type ClusterCatalogRefreshDeps = Readonly<{
  /** Cluster of the ClusterCatalog. */
  cluster: string;
  load: LoadJsonl;
  /** Has an image read once more that ended the thread that read it before that time. */
  tryAgain?: (ref: string, before: number) => void;
  metas: SharedMetas;
  clock: Clock;
  /** Evenly from 0 up to 1: spreads the polls of many catalogs over time. */
  random: () => number;
  /** A try has ended: the status may have to be written. */
  onState: () => void;
}>;

type Held = Readonly<{ ref: string; unpacked: string; generation: number; lease: MetasLease }>;

/** Includes the unreadable part of a spec: it is in no field. */
const wanted = (catalog: ClusterCatalog) => [catalog.spec, desiredContentOf(catalog)];

/** Keeps the content of one ClusterCatalog fresh: pulls, polls, retries, and reports its state. */
export class ClusterCatalogRefresh {
  #catalog: ClusterCatalog;
  #held: Held | undefined;
  #failure: CatalogFailure | undefined;
  #settled = false;
  #failures = 0;
  readonly #loop: RefreshLoop;

  constructor(
    catalog: ClusterCatalog,
    private readonly deps: ClusterCatalogRefreshDeps,
  ) {
    this.#catalog = catalog;
    this.#loop = new RefreshLoop(deps.clock, (_, signal) => this.#attempt(signal));
    this.#loop.ask();
  }

  /** Returns the catalog as the watch reported it last. */
  get catalog(): ClusterCatalog {
    return this.#catalog;
  }

  get state(): ServedState {
    const held = this.#held;
    return {
      settled: this.#settled,
      ...(held && { held: { ref: held.ref, unpacked: held.unpacked, generation: held.generation } }),
      ...(this.#failure && { failure: this.#failure }),
    };
  }

  /** Returns the content that is served now. Undefined while there is none. */
  get served(): ServedContent | undefined {
    return this.#held && { content: this.#held.lease.content, modified: new Date(this.#held.unpacked) };
  }

  update(catalog: ClusterCatalog): void {
    const before = this.#catalog;
    this.#catalog = catalog;
    const resumed = isPaused(before) && !isPaused(catalog);
    const isNew = canonicalJson(wanted(catalog)) !== canonicalJson(wanted(before));
    if (isNew || isPaused(catalog) !== isPaused(before)) this.#loop.giveUp();
    if (resumed || isNew || isAskedAgain(catalog, before)) this.#loop.ask();
    else if (isPaused(catalog) && !isPaused(before)) this.#rest();
  }

  /** Follows a pause: held content stays; without held content, the load that was given up starts again. */
  #rest(): void {
    this.#loop.rest();
    if (this.#held === undefined) this.#loop.ask();
  }

  stop(): void {
    this.#loop.stop();
    this.#letGo();
  }

  async #attempt(signal: AbortSignal): Promise<number | undefined> {
    const delay = await this.#pull(this.#catalog, signal);
    if (this.#loop.stopped) this.#letGo();
    if (signal.aborted) return undefined;
    this.#settled = true;
    this.deps.onState();
    return delay;
  }

  /** Pulls the content. Returns the milliseconds until the next poll. Undefined if none is due. */
  async #pull(catalog: ClusterCatalog, signal: AbortSignal): Promise<number | undefined> {
    const desired = desiredContentOf(catalog);
    if (desired.kind === 'unavailable') {
      this.#letGo();
      this.#failure = undefined;
      return undefined;
    }
    if (desired.kind === 'invalid') {
      this.#failure = { message: desired.message, blocked: true };
      return undefined;
    }
    const isPinned = isPaused(catalog);
    if (isPinned && this.#held !== undefined) return undefined;
    const ref = (isPinned && catalog.status?.resolvedSource?.image?.ref) || desired.ref;
    const askedAt = retryAskedAt(catalog, this.deps.clock.now().getTime());
    if (askedAt !== undefined) this.deps.tryAgain?.(ref, askedAt);
    try {
      await this.#hold(catalog, await this.deps.load(ref, this.#demand(signal)));
      this.#failure = undefined;
      this.#failures = 0;
      return isPinned ? undefined : pollDelayMs(catalog, this.deps.random());
    } catch (error) {
      if (signal.aborted) return undefined;
      if (this.#held === undefined) await this.#holdAsBefore(catalog, signal);
      return this.#failed(desired.ref, error);
    }
  }

  async #hold(catalog: ClusterCatalog, jsonl: CatalogJsonl): Promise<void> {
    const lease = await this.deps.metas.acquire(jsonl.content);
    const generation = catalog.metadata.generation ?? 0;
    const unpacked = this.#unpackedBefore(catalog, jsonl.ref) ?? this.deps.clock.now().toISOString();
    this.#letGo();
    this.#held = { ref: jsonl.ref, unpacked, generation, lease };
  }

  /** A digest keeps its time, over polls and over starts of this process: clients need not fetch it again. */
  #unpackedBefore({ status }: ClusterCatalog, ref: string): string | undefined {
    if (this.#held?.ref === ref) return this.#held.unpacked;
    return status?.resolvedSource?.image?.ref === ref ? status.lastUnpacked : undefined;
  }

  /**
   * Holds the content as before, after a start while the registry is unreachable. The content that an earlier
   * process served may still be on this disk.
   */
  async #holdAsBefore(catalog: ClusterCatalog, signal: AbortSignal): Promise<void> {
    const before = catalog.status?.resolvedSource?.image?.ref;
    if (before === undefined) return;
    try {
      await this.#hold(catalog, await this.deps.load(before, this.#demand(signal)));
    } catch {
      // Nothing is left of it: users need the failure of the desired reference.
    }
  }

  #failed(ref: string, error: unknown): number | undefined {
    const why = error instanceof Error ? error.message : String(error);
    this.#failure = failureOf(ref, error instanceof NoCatalogContent ? error.problem : { kind: 'store', why });
    this.#failures += 1;
    return this.#failure.blocked ? undefined : retryDelay(this.#failures, this.deps.random());
  }

  #demand(signal: AbortSignal): Demand {
    return Demand.of({ cluster: this.deps.cluster, namespace: '' }, signal);
  }

  #letGo(): void {
    this.#held?.lease.release();
    this.#held = undefined;
  }
}
