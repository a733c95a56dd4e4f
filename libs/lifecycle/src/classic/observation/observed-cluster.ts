import { affectedNamespaces } from '#core/cluster/observation/affected-namespaces';
import { catalogFingerprint } from '#core/cluster/observation/catalog-fingerprint';
import { type ChangeOrigin, type CsvName, isOfPasses, staysInstalled } from '#core/cluster/observation/change-origin';
import { homeOf } from '#core/cluster/observation/gathering-namespaces';
import { isNamespaceAtRest, type NamespaceObjects } from '#core/cluster/observation/namespace-at-rest';
import type { ClusterNamespaces } from '#core/cluster/observation/namespace-rules';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import type { Subscription } from '#core/kernel/api/subscription';
import type { NamespaceSubject } from '#core/kernel/subject/subject';
import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import type { SeenVersions } from '#platform/kube/cache/seen-versions';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { NamespaceProblems } from '#platform/store/problem-store.port';
import type { Freshness } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import type { Metrics, ObjectCounts } from '#platform/telemetry/metrics/metrics';
import type { CatalogRefresh } from '../../catalogs/sources/catalog-refresh.js';
import type { ClusterCatalogs } from '../../catalogs/sources/cluster-catalogs.js';
import type { ClusterCaches } from '../../engine/caches/cluster-caches.js';
import type { ClusterPart } from '../../engine/membership/cluster-membership.js';
import type { ResyncItem } from '../../engine/membership/resync.js';
import type { ClusterTurns } from '../../engine/observation/cluster-turns.js';
import type { ObservationPace } from '../../engine/observation/observation-pace.js';
import { PassUrgency, type Urgency } from '../../engine/observation/pass-urgency.js';
import { Sightings } from '../../engine/observation/sightings.js';
import { TouchedSubjects } from '../../engine/observation/touched-subjects.js';
import type { ObservedProblem, PassAsk } from '../../engine/publishing/publish-problem.js';
import { ClassicRowSource } from './classic-row-source.js';
import { clusterNamespaces, namespacesOf } from './cluster-namespaces.js';
import { ObjectMetrics } from './object-metrics.js';
import { type NamespaceSnapshot, observeNamespace } from './observe-namespace.js';
import { type ObjectEvent, ObservedObjects } from './observed-objects.js';

type ObservedClusterDeps = Readonly<{
  client: KubeClient;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  globalCatalogNamespace: string;
  /** The caches of the applier, if it is a role of the same process. */
  caches?: ClusterCaches | undefined;
  /** Shared by all that the process observes. */
  pace?: ObservationPace | undefined;
  /** Called when namespace kube-system has changed. It names the manager of the cluster. */
  onSystemNamespace?: (() => void) | undefined;
  catalogs: (onChange: (source: CatalogSource) => void) => ClusterCatalogs;
  /** The desired state of a fleet for the cluster. */
  wanted?: WantedInCluster | undefined;
  /** The rows of a namespace may be others; undefined: those of all. */
  onRowsMoved?: ((namespace: string | undefined) => void) | undefined;
  /** Gives the cluster its turn at passes over subjects at rest. Absent: at once. */
  turns?: Pick<ClusterTurns, 'take'> | undefined;
  /**
   * Publishes a subject. Returns true if a pass was enqueued; with ask `now` one always is. `sinceMs`: the
   * time of the first event that it is for.
   */
  publish: (
    where: Readonly<{ cluster: string; namespace: string }>,
    problem: ObservedProblem<NamespaceProblems> | undefined,
    seen: SeenVersions,
    ask: PassAsk,
    sinceMs: number,
  ) => Promise<boolean>;
}>;

/**
 * Namespaces that a fleet concerns. The changes that it would make there are published with each observation.
 */
export type WantedInCluster = Readonly<{
  namespaces: () => ReadonlySet<string>;
  publish: (snapshot: NamespaceSnapshot) => Promise<void>;
}>;

/**
 * Interval of reads for facts that some CatalogSources depend on. A cluster without such sources is not
 * asked.
 */
const CATALOG_FACTS_MS = 15 * 60_000;
/** A namespace with one of these is observed. */
const OBSERVED = [KIND.Subscription, KIND.OperatorGroup, KIND.ClusterServiceVersion, KIND.InstallPlan] as const;
/** The kinds that make up a namespace's problem: a change of others leaves it as it is. */
const READ: ReadonlySet<string> = new Set(
  [KIND.Subscription, KIND.OperatorGroup, KIND.ClusterServiceVersion, KIND.CatalogSource].map(({ kind }) => kind),
);

/** A change of one of these may change rows of its namespace. */
const ROW_KINDS: ReadonlySet<string> = new Set([...READ, KIND.InstallPlan.kind]);

/** Watches one cluster and publishes the desired state of each namespace whenever an object there changes. */
export class ObservedCluster implements ClusterPart {
  readonly rows: ClassicRowSource;
  readonly #cache: ObservedObjects;
  readonly #catalogs: ClusterCatalogs;
  readonly #metrics: ObjectMetrics;
  readonly #fingerprints = new Map<string, string>();
  /** The CSVs that are no copies, by namespace and name: they are counted every few seconds. */
  readonly #originals = new Set<string>();
  readonly #touched: TouchedSubjects<NamespaceSubject>;
  readonly #sightings: Sightings;
  readonly #timers: Timers;
  readonly #urgency: PassUrgency;
  /** Namespaces at rest that wait for the turn of the cluster (decision 0220). */
  readonly #resting = new Set<string>();
  /** Namespaces with an object that was seen being deleted. */
  readonly #leaving = new Set<string>();
  #stopped = false;

  constructor(private readonly deps: ObservedClusterDeps) {
    this.#timers = new Timers(deps.clock);
    const { clock, client } = deps;
    this.#sightings = new Sightings((client.history?.epoch ?? 0) > 0);
    this.#urgency = new PassUrgency({ clock, timers: this.#timers, onDue: (namespace) => this.touch(namespace) });
    this.#touched = new TouchedSubjects({
      clock: deps.clock,
      pace: deps.pace,
      observe: ({ namespace }, sinceMs) => this.#pass(namespace, sinceMs),
      onFailure: ({ namespace }, err) =>
        deps.log.error({ cluster: this.name, namespace, err }, 'could not observe a namespace; retrying'),
    });
    // New content of a catalog makes a problem: its solution brings the pass.
    this.#catalogs = deps.catalogs((source) => this.#touchAffected(source, 'soon'));
    this.#metrics = new ObjectMetrics(deps.metrics, deps.client.cluster);
    this.#cache = new ObservedObjects({ ...deps, onEvent: (...event) => this.#onEvent(...event) });
    const { globalCatalogNamespace } = deps;
    this.rows = new ClassicRowSource({
      ...{ cluster: this.name, globalCatalogNamespace, objects: this.#cache, catalogs: this.#catalogs },
    });
  }

  get name(): string {
    return this.deps.client.cluster;
  }

  get globalCatalogNamespace(): string {
    return this.deps.globalCatalogNamespace;
  }

  async start(): Promise<void> {
    this.deps.metrics.csvUpgradesCounted(this.name);
    await this.#catalogs.prepare();
    if (this.#stopped) return;
    this.#cache.start();
    this.#timers.every(CATALOG_FACTS_MS, () => void this.#catalogs.resync());
    void this.#cache.whenSynced().then(() => {
      this.touchAll();
      this.deps.onRowsMoved?.(undefined);
    });
    const { log, globalCatalogNamespace } = this.deps;
    log.info({ cluster: this.name, globalCatalogNamespace }, 'cluster is watched');
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timers.stop();
    this.#touched.stop();
    this.#catalogs.stop();
    await this.#cache.stop();
  }

  /** As {@link stop}; the metrics of the cluster are removed. */
  async leave(): Promise<void> {
    await this.stop();
    const measured = [KIND.Subscription, KIND.CatalogSource].flatMap((kind) => this.#cache.list(kind));
    for (const object of [...this.#cache.originals(), ...measured]) this.#metrics.note(object, 'gone');
    this.deps.metrics.clusterUnwatched(this.name);
  }

  get catalogs(): ClusterCatalogs {
    return this.#catalogs;
  }

  /** Returns if the watches are up to date, and the reasons if not. */
  freshness(): Freshness {
    return { synced: this.#cache.synced(), problems: this.#cache.problems(), lastSeen: this.#cache.lastSeen() };
  }

  /** Counts the cluster's objects of OLM's kinds. Copies of CSVs are left out, as in OLM. */
  counts(): ObjectCounts {
    return {
      csvs: this.#originals.size,
      installPlans: this.#cache.count(KIND.InstallPlan),
      subscriptions: this.#cache.count(KIND.Subscription),
      catalogSources: this.#cache.count(KIND.CatalogSource),
    };
  }

  /** Each namespace with objects of OLM's kinds gets a pass; those at rest in the turn of the cluster. */
  touchAll(): void {
    const all = this.#held();
    const resting = [...all].filter((namespace) => this.#isAtRest(namespace));
    const waitMs = resting.length === 0 ? 0 : (this.deps.turns?.take() ?? 0);
    if (waitMs > 0) {
      for (const namespace of resting) this.#resting.add(namespace);
      this.#timers.after(waitMs, () => this.#endRest());
    }
    this.#leaving.clear();
    for (const kind of OBSERVED) {
      for (const object of this.#cache.named(kind)) this.#touchFor(object, object.metadata.namespace, 'for-news');
    }
    for (const namespace of [...all, ...this.#wantedIn]) if (!this.#resting.has(namespace)) this.touch(namespace);
  }

  #isAtRest(namespace: string): boolean {
    return !this.#leaving.has(namespace) && isNamespaceAtRest(this.#objectsOf(namespace));
  }

  #endRest(): void {
    for (const namespace of this.#resting) this.touch(namespace);
    this.#resting.clear();
  }

  /** Returns each namespace with objects of OLM's kinds, and the facts that catalogs depend on. */
  resyncs(): readonly ResyncItem[] {
    const namespaces = new Set([...this.#held(), ...this.#wantedIn]);
    return [
      { name: 'catalogs', run: () => void this.#catalogs.resync() },
      ...[...namespaces].map((name) => ({ name: `namespace/${name}`, run: () => this.touch(name) })),
    ];
  }

  /** Observes the namespace. */
  touch(namespace: string, urgency: Urgency = 'now'): void {
    if (urgency === 'now') this.#resting.delete(namespace);
    this.#urgency.note(namespace, urgency);
    this.#touched.touch({ cluster: this.name, namespace });
  }

  async #pass(namespace: string, sinceMs: number): Promise<void> {
    if (!this.#cache.synced()) return; // the first sync touches all
    const snapshot = this.#snapshotOf(namespace);
    const problem = observeNamespace(snapshot);
    for (const { key } of problem?.problem.catalogs ?? []) {
      this.deps.metrics.catalogRead(this.name, key.namespace, key.name);
    }
    const seen = this.#sightings.take(namespace);
    const taken = this.#urgency.take(namespace);
    try {
      const where = { cluster: this.name, namespace };
      const otherwise = this.#resting.has(namespace) ? 'if-known' : 'for-news';
      const ask = taken.urgency === 'now' ? 'now' : otherwise;
      const enqueued = await this.deps.publish(where, problem, seen, ask, sinceMs);
      this.#urgency.settle(namespace, taken, enqueued);
      if (this.#wantedIn.has(namespace)) await this.deps.wanted?.publish(snapshot);
    } catch (error) {
      this.#sightings.putBack(namespace, seen);
      this.#urgency.putBack(namespace, taken);
      throw error;
    }
  }

  #snapshotOf(namespace: string): NamespaceSnapshot {
    const { globalCatalogNamespace } = this.deps;
    const catalogs = this.#catalogsSeenFrom(namespace);
    return { namespace, globalCatalogNamespace, ...this.#objectsOf(namespace), catalogs };
  }

  get #wantedIn(): ReadonlySet<string> {
    return this.deps.wanted?.namespaces() ?? NONE;
  }

  #objectsOf(namespace: string): NamespaceObjects {
    return {
      subscriptions: this.#cache.list<Subscription>(KIND.Subscription, namespace),
      operatorGroups: this.#cache.list<OperatorGroup>(KIND.OperatorGroup, namespace),
      csvs: this.#cache.list<ClusterServiceVersion>(KIND.ClusterServiceVersion, namespace),
    };
  }

  #catalogsSeenFrom(namespace: string): CatalogRefresh[] {
    const seen = [...new Set([namespace, this.deps.globalCatalogNamespace])];
    return seen.flatMap((place) =>
      this.#cache.list<CatalogSource>(KIND.CatalogSource, place).flatMap((source) => this.#catalogs.of(source) ?? []),
    );
  }

  #onEvent(
    object: KubernetesObject,
    event: ObjectEvent,
    origin: ChangeOrigin | undefined,
    before: KubernetesObject | undefined,
  ): void {
    this.#metrics.note(object, event);
    if (object.kind === KIND.ClusterServiceVersion.kind) this.#noteCsv(object as ClusterServiceVersion, event);
    if (ROW_KINDS.has(object.kind) && this.#cache.synced()) this.deps.onRowsMoved?.(object.metadata.namespace);
    if (object.kind === KIND.CatalogSource.kind && !this.#noteCatalog(object as CatalogSource, event)) return;
    if (origin?.deleting === true) this.#leaving.add(object.metadata.namespace ?? '');
    if (isSystemNamespace(object) && this.#cache.synced()) this.deps.onSystemNamespace?.();
    // Before the first sync, which touches all, thousands of objects come: computing the namespaces of each
    // takes minutes.
    if (!this.#cache.synced()) return;
    this.#touchAffected(object, this.#urgencyOf(object, event, origin), event, origin?.own);
    if (before !== undefined) this.#touchAffected(before, 'now', event, origin?.own);
  }

  #urgencyOf(object: KubernetesObject, event: ObjectEvent, origin: ChangeOrigin | undefined): Urgency {
    // Work for a catalog's new content comes with the solution of the problem that it makes.
    if (object.kind === KIND.CatalogSource.kind) return 'soon';
    const isThere = (csv: CsvName) => staysInstalled(this.#cache.get(KIND.ClusterServiceVersion, csv));
    return origin !== undefined && isOfPasses(object, event, origin, isThere) ? 'soon' : 'now';
  }

  #noteCsv(csv: ClusterServiceVersion, event: 'changed' | 'gone'): void {
    const key = `${csv.metadata.namespace}/${csv.metadata.name}`;
    if (event === 'changed' && !isCopied(csv)) this.#originals.add(key);
    else this.#originals.delete(key);
  }

  /**
   * Returns false if nothing changed that others would see: polling alone must not start a pass for every
   * namespace.
   */
  #noteCatalog(source: CatalogSource, event: 'changed' | 'gone'): boolean {
    this.#catalogs.note(source, event);
    const key = `${source.metadata.namespace}/${source.metadata.name}`;
    const fingerprint = event === 'gone' ? undefined : catalogFingerprint(source);
    const moved = this.#fingerprints.get(key) !== fingerprint;
    if (fingerprint === undefined) this.#fingerprints.delete(key);
    else this.#fingerprints.set(key, fingerprint);
    return moved || event === 'gone';
  }

  #touchAffected(object: KubernetesObject, urgency: Urgency, event: ObjectEvent = 'changed', own = false): void {
    for (const namespace of affectedNamespaces(object, this.#view(event, own))) {
      this.#touchFor(object, namespace, urgency);
      if (object.kind === KIND.CatalogSource.kind) this.deps.onRowsMoved?.(namespace);
    }
  }

  #view(event: ObjectEvent, own: boolean): ClusterNamespaces {
    const { globalCatalogNamespace } = this.deps;
    return clusterNamespaces(this.#cache, {
      globalCatalogNamespace,
      wanted: this.#wantedIn,
      isGone: event === 'gone',
      own,
    });
  }

  /** Namespaces with objects of OLM's kinds, and those that keep Operators. */
  #held(): ReadonlySet<string> {
    const view = this.#view('changed', false);
    const homes = this.#cache.named(KIND.Operator).map(({ metadata }) => homeOf(metadata.name ?? '', view));
    return new Set([...OBSERVED.flatMap((kind) => [...namespacesOf(this.#cache.named(kind))]), ...homes]);
  }

  #touchFor(
    object: Pick<KubernetesObject, 'kind' | 'metadata'>,
    namespace: string | undefined,
    urgency: Urgency = 'now',
  ): void {
    if (namespace === undefined) return;
    this.#sightings.note(namespace, object);
    // Of the catalogs that are read after a start, most have the same content as before, and nothing is due.
    const isOfCatalog = object.kind === KIND.CatalogSource.kind && this.#resting.has(namespace);
    if (isOfCatalog) this.touch(namespace, 'for-news');
    else if (urgency === 'soon' && !READ.has(object.kind)) this.#urgency.owe(namespace);
    else this.touch(namespace, urgency);
  }
}

const NONE: ReadonlySet<string> = new Set();

const isSystemNamespace = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Namespace' && metadata.name === 'kube-system';
