import { CLUSTER_CATALOG_API, type ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { isTrue } from '#core/kernel/conditions/condition-list';
import { nameLabelPatch, releasePatch } from '#core/v1/cluster-catalog/cluster-catalog-spec';
import { clusterCatalogStatus } from '#core/v1/cluster-catalog/cluster-catalog-status';
import { readableCatalog } from '#core/v1/cluster-catalog/readable-catalog';
import { WriteWithheld } from '#platform/joining/cluster-writes';
import { Reflector } from '#platform/kube/cache/reflector';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { ServedContent } from '#platform/metas/serve-metas';
import type { Freshness } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import type { ClusterTroubles } from '#platform/telemetry/metrics/cluster-troubles';
import { ClusterCatalogRefresh, type ClusterCatalogRefreshDeps } from './cluster-catalog-refresh.js';

export type ServedCatalogsDeps = Omit<ClusterCatalogRefreshDeps, 'onState' | 'cluster'> &
  Readonly<{
    client: KubeClient;
    log: Log;
    /** Counts catalogs that cannot be used. */
    troubles?: Pick<ClusterTroubles, 'catalog' | 'catalogGone'> | undefined;
    /** The hub, as clients reach it; without a closing slash. */
    contentUrl: string;
    /** True if another manager acts there: the hub holds no content and writes nothing. */
    isObserved?: boolean;
    /** A catalog, or its served content, may have changed. */
    onMoved?: () => void;
  }>;

/** A ClusterCatalog and its state: `settled` once its first pull has ended. */
export type CatalogInSight = Readonly<{
  catalog: ClusterCatalog;
  settled: boolean;
  /** Undefined while there is nothing to serve. */
  served: ServedContent | undefined;
}>;

/** Memory for the refreshes, timers and statuses of one catalog, in addition to the object. */
const CATALOG_BYTES = 128 * 1024;
/**
 * Pause before our status is restored. Another writer may have changed the object, and two writers that
 * disagree must not race.
 */
const WRITE_AGAIN_MS = 5_000;

/** The ClusterCatalogs of one cluster: watched, kept fresh, labelled, with their statuses written. */
export class ServedCatalogs {
  readonly #reflector: Reflector;
  readonly #catalogs = new Map<string, ClusterCatalogRefresh>();
  /** Catalogs of a cluster in which another manager acts, as their objects say. */
  readonly #observed = new Map<string, ClusterCatalog>();
  /** Due writes, and how to cancel them. */
  readonly #due = new Map<string, () => void>();
  /** Reasons for failed writes of a status, by name of the catalog. */
  readonly #unwritten = new Map<string, string>();
  /** The content of each catalog that was reported last, once its first pull had ended. */
  readonly #reported = new Map<string, ServedContent['content'] | undefined>();
  #stopped = false;

  constructor(private readonly deps: ServedCatalogsDeps) {
    this.#reflector = new Reflector({
      ...deps,
      kind: CLUSTER_CATALOG_API,
      handlerBytes: () => CATALOG_BYTES,
      handlers: { onChange: (object) => this.#note(object), onDelete: (object) => this.#gone(object) },
    });
  }

  start(): void {
    this.#reflector.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#reflector.stop();
    for (const name of [...this.#catalogs.keys()]) this.#forget(name);
  }

  /**
   * Returns the content that is served under a name. Undefined if there is no such catalog, or nothing of it
   * yet.
   */
  find(name: string): ServedContent | undefined {
    return this.#catalogs.get(name)?.served;
  }

  /** True if all catalogs are known. */
  get synced(): boolean {
    return this.#reflector.synced();
  }

  /** Returns if the watch is up to date, and the reason if not. */
  freshness(): Freshness {
    const problem = this.#reflector.problem();
    const problems = problem === undefined ? [] : [problem];
    return { synced: this.#reflector.synced(), problems, lastSeen: this.#reflector.lastSeen() };
  }

  /** Returns the reasons for failed writes of statuses, one text each. */
  get unwritten(): readonly string[] {
    return [...this.#unwritten.values()];
  }

  /** Returns the objects, even if the hub does not serve them. */
  objects(): readonly ClusterCatalog[] {
    return [...[...this.#catalogs.values()].map(({ catalog }) => catalog), ...this.#observed.values()];
  }

  all(): readonly CatalogInSight[] {
    return [...this.#catalogs.values()].map(({ catalog, state, served }) => ({
      catalog,
      settled: state.settled,
      served,
    }));
  }

  /**
   * Notes a catalog. One with an unreadable spec counts as one with an invalid spec: its status names the
   * fault.
   */
  #note(object: KubernetesObject): void {
    this.#take(readableCatalog(object));
    this.deps.onMoved?.();
  }

  #take(catalog: ClusterCatalog): void {
    if (this.deps.isObserved === true) {
      this.#observed.set(nameOf(catalog), catalog);
      this.#measure(catalog);
      return;
    }
    if (catalog.metadata.deletionTimestamp !== undefined) this.#forget(nameOf(catalog));
    else this.#keep(catalog);
    this.#measure(catalog);
    const patch = nameLabelPatch(catalog) ?? releasePatch(catalog);
    if (patch !== undefined) void this.#patch(catalog, patch);
  }

  /**
   * Measures a catalog by its own status, as a user sees it. Before its first status a catalog is neither
   * ready nor unready. A catalog that a user has made unavailable is missing nothing.
   */
  #measure({ metadata, spec, status }: ClusterCatalog): void {
    const { troubles, client } = this.deps;
    const { name = '' } = metadata;
    if (spec.availabilityMode === 'Unavailable') troubles?.catalogGone(client.cluster, 'ClusterCatalog', name);
    else if (status?.conditions !== undefined && (this.#catalogs.has(name) || this.#observed.has(name))) {
      troubles?.catalog(client.cluster, 'ClusterCatalog', name, isServing(status.conditions));
    }
  }

  #keep(catalog: ClusterCatalog): void {
    const name = nameOf(catalog);
    const known = this.#catalogs.get(name);
    if (known === undefined) {
      this.#catalogs.set(
        name,
        new ClusterCatalogRefresh(catalog, {
          ...this.deps,
          cluster: this.deps.client.cluster,
          onState: () => this.#report(name),
        }),
      );
      return;
    }
    known.update(catalog);
    if (known.state.settled && this.#isStale(catalog, known)) this.#writeLater(catalog);
  }

  /**
   * A poll without news sends no request to the cluster: the watched object shows that its status is right.
   */
  #report(name: string): void {
    const refresh = this.#catalogs.get(name);
    if (refresh === undefined) return;
    if (this.#isStale(refresh.catalog, refresh)) void this.#write(refresh.catalog);
    const { served } = refresh;
    if (this.#reported.has(name) && this.#reported.get(name) === served?.content) return;
    this.#reported.set(name, served?.content);
    this.deps.onMoved?.();
  }

  #gone(object: KubernetesObject): void {
    this.#forget(nameOf(object));
    this.deps.onMoved?.();
  }

  #forget(name: string): void {
    this.#catalogs.get(name)?.stop();
    this.#catalogs.delete(name);
    this.#unwritten.delete(name);
    this.#observed.delete(name);
    this.deps.troubles?.catalogGone(this.deps.client.cluster, 'ClusterCatalog', name);
    this.#reported.delete(name);
    this.#due.get(name)?.();
    this.#due.delete(name);
  }

  #isStale(catalog: ClusterCatalog, refresh: ClusterCatalogRefresh): boolean {
    return canonicalJson(this.#statusOf(catalog, refresh)) !== canonicalJson(catalog.status ?? {});
  }

  #statusOf(catalog: ClusterCatalog, { state }: ClusterCatalogRefresh): NonNullable<ClusterCatalog['status']> {
    const { contentUrl, client, clock } = this.deps;
    const baseUrl = `${contentUrl}/clusters/${encodeURIComponent(client.cluster)}/catalogs/${nameOf(catalog)}`;
    return clusterCatalogStatus(catalog, state, { baseUrl, now: clock.now() });
  }

  /** Writes the status on top of the current object in the cluster, and only if it differs. */
  async #write(catalog: ClusterCatalog): Promise<void> {
    try {
      const live = await this.deps.client.get(refOf(catalog));
      const refresh = this.#catalogs.get(nameOf(catalog));
      if (live === undefined || refresh === undefined) return;
      const read = readableCatalog(live);
      if (this.#isStale(read, refresh))
        await this.deps.client.updateStatus({ ...live, status: this.#statusOf(read, refresh) });
      this.#unwritten.delete(nameOf(catalog));
    } catch (error) {
      if (KubeApiError.is(error, 'Forbidden')) this.#unwritten.set(nameOf(catalog), error.message);
      this.#failed(catalog, error, 'the status');
      this.#writeLater(catalog);
    }
  }

  /** A catalog that is not polled may never have news again, so the write is retried here. */
  #writeLater(catalog: ClusterCatalog): void {
    const name = nameOf(catalog);
    this.#due.get(name)?.();
    if (this.#stopped) return;
    this.#due.set(
      name,
      this.deps.clock.after(WRITE_AGAIN_MS, () => void this.#write(catalog)),
    );
  }

  /** A failed write is retried at the object's next event: writes of the status cause some. */
  async #patch(catalog: ClusterCatalog, patch: Readonly<Record<string, unknown>>): Promise<void> {
    try {
      await this.deps.client.patch(refOf(catalog), patch);
    } catch (error) {
      this.#failed(catalog, error, 'the label or finalizer');
    }
  }

  #failed(catalog: ClusterCatalog, err: unknown, what: string): void {
    if (this.#stopped || KubeApiError.is(err, 'Conflict', 'NotFound') || err instanceof WriteWithheld) return;
    const { client, log } = this.deps;
    log.warn(
      { cluster: client.cluster, name: nameOf(catalog), err },
      `could not write ${what} of a ClusterCatalog; retrying`,
    );
  }
}

const isServing = (conditions: NonNullable<NonNullable<ClusterCatalog['status']>['conditions']>): boolean =>
  isTrue(conditions, 'Serving');

const nameOf = ({ metadata }: KubernetesObject): string => metadata.name ?? '';
