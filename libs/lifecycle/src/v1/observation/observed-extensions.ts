import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type ExtensionSubject, type ObjectSetSubject, subjectName } from '#core/kernel/subject/subject';
import { extensionHealth } from '#core/v1/extension/extension-health';
import type { FeatureGates } from '#core/v1/extension/package-content';
import { OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import type { Clock } from '#platform/clock/clock.port';
import type { SeenVersions } from '#platform/kube/cache/seen-versions';
import { WatchCache } from '#platform/kube/cache/watch-cache';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import type { Freshness } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import type { ExtensionMetrics } from '#platform/telemetry/metrics/extension-metrics';
import type { CatalogInSight } from '../../catalogs/cluster-catalogs/served-catalogs.js';
import type { CacheLease, ClusterCaches } from '../../engine/caches/cluster-caches.js';
import type { ObservationPace } from '../../engine/observation/observation-pace.js';
import { Sightings } from '../../engine/observation/sightings.js';
import { TouchedSubjects } from '../../engine/observation/touched-subjects.js';
import type { ObservedProblem } from '../../engine/publishing/publish-problem.js';
import type { CatalogPackages } from './catalog-packages.js';
import { observeExtension } from './observe-extension.js';
import { WatchManaged } from './watch-managed.js';

/** An owner of revisions: a ClusterExtension, or a ClusterObjectSet without one. */
type RevisionsSubject = ExtensionSubject | ObjectSetSubject;

export type ObservedExtensionsDeps = Readonly<{
  client: KubeClient;
  clock: Clock;
  log: Log;
  metrics: ExtensionMetrics;
  /** The caches of the applier, if it is a role of the same process. */
  caches?: ClusterCaches | undefined;
  /** Shared by all that the process observes. */
  pace?: ObservationPace | undefined;
  /** Undefined until all are known. */
  catalogs: () => readonly CatalogInSight[] | undefined;
  packages: CatalogPackages;
  /** The rows of the cluster's ClusterExtensions may be others. */
  onRowsMoved?: (() => void) | undefined;
  gates: FeatureGates;
  /** The desired state of a fleet for the cluster. Absent if it wants nothing. */
  wanted?: WantedExtensions | undefined;
  publish: (
    subject: RevisionsSubject,
    problem: ObservedProblem<ExtensionProblems> | undefined,
    seen: SeenVersions,
    sinceMs: number,
  ) => Promise<void>;
}>;

/** A ClusterExtension as it is, or would be, in a cluster. */
type ExtensionInSight = Readonly<{
  /** Undefined if there is none of that name. */
  extension: ClusterExtension | undefined;
  revisions: readonly ClusterObjectSet[];
  catalogs: readonly CatalogInSight[];
}>;

/** Desired ClusterExtensions of a cluster. They may not be there yet. */
export type WantedExtensions = Readonly<{
  /** Their names, in addition to all that are there. */
  names: (all: readonly ClusterExtension[]) => ReadonlySet<string>;
  /** Publishes the problem of a desired extension. */
  publish: (subject: ExtensionSubject, seen: ExtensionInSight, all: readonly ClusterExtension[]) => Promise<void>;
}>;

/** A ClusterExtension's possible bundles, if they are known, and its revisions. */
export type SeenExtension = Readonly<{
  problem: ObservedProblem<ExtensionProblems> | undefined;
  revisions: readonly ClusterObjectSet[];
}>;

const ownedBy = (extension: string, all: readonly ClusterObjectSet[]): ClusterObjectSet[] =>
  all.filter(({ metadata }) => metadata.labels?.[OWNER_NAME_LABEL] === extension);

/**
 * Watches the ClusterExtensions of one cluster and publishes the desired state of each whenever
 * one of its objects changes.
 */
export class ObservedExtensions {
  readonly #cache: WatchCache;
  readonly #lease: CacheLease | undefined;
  readonly #managed: WatchManaged;
  readonly #touched: TouchedSubjects<RevisionsSubject>;
  readonly #sightings: Sightings;

  constructor(private readonly deps: ObservedExtensionsDeps) {
    const { client, clock, log, caches, pace } = deps;
    this.#sightings = new Sightings((client.history?.epoch ?? 0) > 0);
    this.#lease = caches?.lease(client);
    const shared = this.#lease?.cache;
    this.#touched = new TouchedSubjects({
      clock,
      pace,
      observe: (subject, sinceMs) => this.#pass(subject, sinceMs),
      onFailure: (subject, err) => log.error({ ...subject, err }, 'could not observe an extension; retrying'),
    });
    this.#managed = new WatchManaged({
      client,
      clock,
      log,
      onMoved: (extension) => this.touch(this.#extension(extension)),
    });
    this.#cache = new WatchCache({
      client,
      clock,
      log,
      kinds: [CLUSTER_EXTENSION_API, CLUSTER_OBJECT_SET_API],
      ...(shared === undefined ? {} : { shared }),
      onChange: ({ kind }, object, previous) => {
        if (kind === CLUSTER_EXTENSION_API.kind) this.#measure(object, previous);
        this.#onChange(kind, object ?? previous);
      },
    });
  }

  start(): void {
    this.#cache.start();
    void this.#cache.whenSynced().then(() => {
      this.touchAll();
      this.deps.onRowsMoved?.();
    });
  }

  /** As {@link stop}; the metrics are removed. */
  async leave(): Promise<void> {
    await this.stop();
    for (const extension of this.#cache.list(CLUSTER_EXTENSION_API)) this.#measure(undefined, extension);
  }

  #measure(object: KubernetesObject | undefined, previous: KubernetesObject | undefined): void {
    const { client, metrics } = this.deps;
    const name = (object ?? previous)?.metadata.name ?? '';
    const extension = object && ClusterExtension.safeParse({ ...object, ...CLUSTER_EXTENSION_API }).data;
    if (extension === undefined) {
      metrics.gone(client.cluster, name);
      return;
    }
    const { spec, status } = extension;
    const facts = {
      name,
      package: spec.source.catalog?.packageName ?? '',
      version: status?.install?.bundle.version ?? '',
    };
    metrics.noted(client.cluster, facts, extensionHealth(extension));
  }

  async stop(): Promise<void> {
    this.#touched.stop();
    await Promise.all([this.#cache.stop(), this.#managed.stop()]);
    await this.#lease?.end();
  }

  /** Returns if the watches are up to date, and the reasons if not. */
  freshness(): Freshness {
    return { synced: this.#cache.synced(), problems: this.#cache.problems(), lastSeen: this.#cache.lastSeen() };
  }

  touchAll(): void {
    for (const kind of [CLUSTER_EXTENSION_API, CLUSTER_OBJECT_SET_API]) {
      for (const object of this.#cache.list(kind)) this.#touchFor(kind.kind, object);
    }
    this.touchWanted();
  }

  /** Notes that the desired state of a fleet may have changed. */
  touchWanted(): void {
    const names = this.deps.wanted?.names(this.all() ?? []) ?? [];
    if (this.#cache.synced()) for (const name of names) this.touch(this.#extension(name));
  }

  /** Undefined until all are known. */
  all(): readonly ClusterExtension[] | undefined {
    if (!this.#cache.synced()) return undefined;
    return this.#cache
      .list(CLUSTER_EXTENSION_API)
      .flatMap((object) => ClusterExtension.safeParse({ ...object, ...CLUSTER_EXTENSION_API }).data ?? []);
  }

  /** Each ClusterExtension, and each set without one. */
  subjects(): readonly RevisionsSubject[] {
    const extensions = this.#cache.metadata(CLUSTER_EXTENSION_API).map(({ name }) => this.#extension(name));
    const sets = this.#cache.metadata(CLUSTER_OBJECT_SET_API).map((metadata) => this.#ownerOf({ metadata }));
    return [...extensions, ...sets.filter((subject) => 'objectSet' in subject)];
  }

  /**
   * Returns a ClusterExtension as it is now. Undefined until all are known, and if there is none of that
   * name.
   */
  async seen(name: string): Promise<SeenExtension | undefined> {
    if (!this.#cache.synced()) return undefined;
    const all = this.#revisions();
    const problem = await this.#problemOf(this.#extension(name), all);
    return { problem, revisions: ownedBy(name, all) };
  }

  touch(subject: RevisionsSubject): void {
    this.#touched.touch(subject);
  }

  #extension(name = ''): ExtensionSubject {
    return { cluster: this.deps.client.cluster, extension: name };
  }

  #onChange(kind: string, object: KubernetesObject | undefined): void {
    if (object === undefined || !this.#cache.synced()) return;
    if (kind === CLUSTER_EXTENSION_API.kind) this.deps.onRowsMoved?.();
    this.#touchFor(kind, object);
  }

  #touchFor(kind: string, object: KubernetesObject): void {
    const isExtension = kind === CLUSTER_EXTENSION_API.kind;
    const subject = isExtension ? this.#extension(object.metadata.name) : this.#ownerOf(object);
    this.#sightings.note(subjectName(subject), { kind, metadata: object.metadata });
    this.touch(subject);
  }

  /** Returns the extension that a set belongs to, or the set itself if there is none of that name. */
  #ownerOf({ metadata }: Pick<KubernetesObject, 'metadata'>): RevisionsSubject {
    const owner = metadata.labels?.[OWNER_NAME_LABEL];
    const isThere = owner !== undefined && this.#cache.get({ ...CLUSTER_EXTENSION_API, name: owner }) !== undefined;
    if (isThere) return this.#extension(owner);
    return { cluster: this.deps.client.cluster, objectSet: metadata.name ?? '' };
  }

  async #pass(subject: RevisionsSubject, sinceMs: number): Promise<void> {
    if (!this.#cache.synced()) return; // the first sync touches all
    const all = this.#revisions();
    this.#managed.follow(all);
    const problem = 'extension' in subject ? await this.#problemOf(subject, all) : undefined;
    if ('extension' in subject) await this.#publishWanted(subject, all);
    const name = subjectName(subject);
    const seen = this.#sightings.take(name);
    try {
      await this.deps.publish(subject, problem, seen, sinceMs);
    } catch (error) {
      this.#sightings.putBack(name, seen);
      throw error;
    }
  }

  async #publishWanted(subject: ExtensionSubject, revisions: readonly ClusterObjectSet[]): Promise<void> {
    const [extensions, catalogs] = [this.all(), this.deps.catalogs()];
    if (extensions === undefined || catalogs === undefined) return;
    const { extension: name } = subject;
    const extension = extensions.find(({ metadata }) => metadata.name === name);
    const seen = { extension, revisions: ownedBy(name, revisions), catalogs };
    await this.deps.wanted?.publish(subject, seen, extensions);
  }

  /** Undefined while the extension's catalogs, or the extension itself, are not known. */
  async #problemOf(
    { extension: name }: ExtensionSubject,
    all: readonly ClusterObjectSet[],
  ): Promise<ObservedProblem<ExtensionProblems> | undefined> {
    const held = this.#cache.get({ ...CLUSTER_EXTENSION_API, name });
    const extension = held && ClusterExtension.safeParse({ ...held, ...CLUSTER_EXTENSION_API }).data;
    const own = ownedBy(name, all);
    const catalogs = this.deps.catalogs();
    if (extension === undefined || catalogs === undefined) return undefined;
    const { packages, gates } = this.deps;
    return observeExtension(extension, own, catalogs, packages, gates);
  }

  #revisions(): ClusterObjectSet[] {
    return this.#cache
      .list(CLUSTER_OBJECT_SET_API)
      .flatMap((object) => ClusterObjectSet.safeParse({ ...object, ...CLUSTER_OBJECT_SET_API }).data ?? []);
  }
}
