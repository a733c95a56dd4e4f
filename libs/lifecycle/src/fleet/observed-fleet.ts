import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Subject, subjectKind } from '#core/kernel/subject/subject';
import type { FeatureGates } from '#core/v1/extension/package-content';
import { Timers } from '#platform/clock/timers';
import { globalCatalogNamespaceOf } from '#platform/clusters/managed-clusters';
import { OlmDetectors } from '#platform/clusters/olm-detectors';
import { extensionGatesOf } from '#platform/config/extension-gates';
import type { Hub } from '#platform/hub/hub';
import { CLUSTERS, HUB, RANDOM, SHARDS } from '#platform/hub/hub-tokens';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import type { OwnedClusters } from '#platform/ownership/owned-clusters';
import type { ExtensionProblems, NamespaceProblems } from '#platform/store/problem-store.port';
import type { HealthCheck } from '#platform/telemetry/health-check';
import { SharedJsonl } from '../catalogs/cluster-catalogs/shared-jsonl.js';
import { SharedMetas } from '../catalogs/cluster-catalogs/shared-metas.js';
import { contentUrlOf } from '../catalogs/content-url.js';
import { CatalogContents } from '../catalogs/contents/catalog-contents.js';
import { ClusterCatalogs } from '../catalogs/sources/cluster-catalogs.js';
import { SharedCatalogs } from '../catalogs/sources/shared-catalogs.js';
import { ObservedCluster, type WantedInCluster } from '../classic/observation/observed-cluster.js';
import { ClusterRows } from '../clusters/rows/cluster-rows.js';
import { FleetViewWriter } from '../clusters/rows/fleet-view-writer.js';
import { NO_NAMESPACE, observedRows } from '../clusters/rows/observed-rows.js';
import { ClusterCaches } from '../engine/caches/cluster-caches.js';
import { ClusterMembership } from '../engine/membership/cluster-membership.js';
import { ClusterTurns } from '../engine/observation/cluster-turns.js';
import { ObservationPace } from '../engine/observation/observation-pace.js';
import { EXTENSION_RULES, NAMESPACE_RULES } from '../engine/publishing/problem-families.js';
import { type PublishDeps, type PublishedChange, publishProblem } from '../engine/publishing/publish-problem.js';
import { FleetContents } from '../rollouts/previews/fleet-contents.js';
import { namedExtensions, publishExtensionPreview } from '../rollouts/previews/publish-extension-previews.js';
import { publishPreviews } from '../rollouts/previews/publish-previews.js';
import { WantedOperators } from '../rollouts/previews/wanted-operators.js';
import { CatalogPackages } from '../v1/observation/catalog-packages.js';
import type { WantedExtensions } from '../v1/observation/observed-extensions.js';
import { ObservedV1 } from '../v1/observation/observed-v1.js';
import { catalogStatusesCheck } from './catalog-statuses-check.js';
import { classicWatchesCheck, v1WatchesCheck, type WatchChecksDeps } from './watch-checks.js';

/** The observed parts of one cluster. */
export type ObservedParts = Readonly<{ classic: ObservedCluster; v1: ObservedV1; rows: ClusterRows }>;

const COUNT_EVERY_MS = 10_000;
const TIDY_EVERY_MS = 60_000;
const FORGET_AFTER_MS = 60 * 60_000;

/**
 * Watches every cluster, keeps the content of catalogs fresh and serves it, and publishes the desired state
 * of each namespace and each ClusterExtension.
 */
@Injectable()
export class ObservedFleet {
  readonly #membership: ClusterMembership<ObservedParts>;
  readonly #timers: Timers;
  readonly #jsonl: SharedJsonl;
  /** Contents of FleetCatalogs, if the hub has a fleet. */
  readonly #contents: FleetContents | undefined;
  readonly #packages = new CatalogPackages();
  readonly #pace: ObservationPace;
  readonly #turns: ClusterTurns;
  readonly #view: FleetViewWriter;

  constructor(
    @Inject(HUB) private readonly hub: Hub,
    @Inject(CLUSTERS) private readonly clusters: ServiceClusters,
    @Inject(RANDOM) private readonly random: () => number,
    private readonly detectors: OlmDetectors,
    private readonly contents: CatalogContents,
    private readonly catalogs: SharedCatalogs,
    private readonly metas: SharedMetas,
    /** The caches of the applier if it is a role of the same process. */
    @Optional() private readonly caches?: ClusterCaches,
    /** Desired operators, if the hub has a fleet. */
    @Optional() private readonly wanted?: WantedOperators,
    /** The shards with lost clusters that this process works for. Default: all. */
    @Optional() @Inject(SHARDS) private readonly shards?: OwnedClusters,
  ) {
    const { store, clock, log, settings } = hub;
    this.#timers = new Timers(clock);
    this.#pace = new ObservationPace(clock);
    this.#turns = new ClusterTurns(clock);
    this.#jsonl = new SharedJsonl(contents, { clock, random });
    this.#contents = wanted && this.#fleetContents();
    this.#view = this.#viewWriter();
    this.#membership = new ClusterMembership({
      ...{ clusters, clock, log, random },
      detectors: {
        status: (cluster) => detectors.statusToWatch(cluster),
        againAfterMs: (cluster) => detectors.againAfterMs(cluster),
        whenOwnerChanges: (listener) => detectors.whenOwnerChanges(listener),
      },
      resyncIntervalMs: settings.resyncInterval,
      partsOf: (client) => this.#partsOf(client),
      watchStore: (onLoss) => store.watchLosses(() => this.#emptied(onLoss)),
    });
  }

  start(): void {
    this.#membership.start();
    this.wanted?.onChange((cluster, namespaces) => {
      for (const namespace of namespaces) this.of(cluster)?.classic.touch(namespace);
    });
    this.wanted?.onExtensionsChange((cluster) => this.of(cluster)?.v1.extensions.touchWanted());
    this.#view.start();
    this.#timers.every(COUNT_EVERY_MS, () => this.#countObjects());
    this.#timers.every(TIDY_EVERY_MS, () => this.#forgetUnused());
    this.#timers.every(FORGET_AFTER_MS, () => {
      this.#jsonl.forgetUnasked(FORGET_AFTER_MS);
      this.#contents?.forgetUnasked(FORGET_AFTER_MS);
    });
  }

  /** Ends watches and timers. */
  async stop(): Promise<void> {
    this.#timers.stop();
    this.#contents?.stop();
    await Promise.all([this.#membership.stop(), this.#view.stop()]);
  }

  /** Returns the parts of a cluster. Undefined if no cluster of that name is watched, or not yet. */
  of(cluster: string): ObservedParts | undefined {
    return this.#membership.of(cluster);
  }

  /** Marks the subject to be published again. */
  observe(subject: Subject): void {
    const parts = this.of(subject.cluster);
    if ('namespace' in subject) parts?.classic.touch(subject.namespace, 'for-news');
    else parts?.v1.extensions.touch(subject);
  }

  /** Ages of the watches of OLM Classic's and OLM v1's kinds, and statuses that could not be written. */
  get checks(): Readonly<{ classic: HealthCheck; v1: HealthCheck; statuses: HealthCheck }> {
    const deps = this.#watchDeps;
    const unwritten = () =>
      new Map(
        [...this.#membership.all()].map(([cluster, { classic, v1 }]) => [
          cluster,
          [...classic.catalogs.unwritten, ...v1.catalogs.unwritten],
        ]),
      );
    return { classic: classicWatchesCheck(deps), v1: v1WatchesCheck(deps), statuses: catalogStatusesCheck(unwritten) };
  }

  get #watchDeps(): WatchChecksDeps {
    const { hub, clusters, detectors } = this;
    return {
      clock: hub.clock,
      staleAfterMs: hub.settings.watchStaleAfter,
      clusters: () => clusters.known(),
      isHeld: (cluster: string) => detectors.isHeld(cluster),
      of: (cluster: string) => this.of(cluster),
      problemOf: (cluster: string) => this.#problemOf(cluster),
    };
  }

  async #partsOf(client: KubeClient): Promise<ObservedParts> {
    const globalCatalogNamespace = await globalCatalogNamespaceOf(client, this.hub.settings);
    const rows: ClusterRows = this.#rows(client.cluster, () => ({ classic, v1 }));
    const classic = this.#classic(client, globalCatalogNamespace, rows);
    const v1 = this.#v1(client, rows);
    return { classic, v1, rows };
  }

  #viewWriter(): FleetViewWriter {
    const { hub, clusters, detectors } = this;
    const { clock, log } = hub;
    return new FleetViewWriter({
      ...{ writer: hub.store.view, clusters, clock, log },
      owns: (cluster) => this.shards?.owns(cluster) ?? true,
      isHeld: (cluster) => detectors.isHeld(cluster),
      problemOf: (cluster) => this.#problemOf(cluster),
      of: (cluster) => {
        const parts = this.of(cluster);
        const serverVersion = parts?.classic.rows.serverVersion ?? '';
        return parts && { rows: parts.rows, freshness: () => parts.classic.freshness(), serverVersion };
      },
    });
  }

  #emptied(onEmptied: () => void): void {
    this.#view.emptied();
    onEmptied();
  }

  #rows(cluster: string, parts: () => Pick<ObservedParts, 'classic' | 'v1'>): ClusterRows {
    const { clock, log, store } = this.hub;
    const facts = () => this.#view.factsOf(cluster);
    return new ClusterRows({
      ...{ cluster, clock, log, writer: store.view },
      source: observedRows({ cluster, parts, facts }),
    });
  }

  #problemOf(cluster: string): string | undefined {
    return this.clusters.problemOf(cluster) ?? this.#membership.problemOf(cluster);
  }

  #classic(client: KubeClient, globalCatalogNamespace: string, rows: ClusterRows): ObservedCluster {
    const { hub, caches, catalogs, random } = this;
    const isObserved = this.clusters.isObserved(client.cluster);
    const { clock, log, metrics, problems, settings } = hub;
    const status = { contentUrl: contentUrlOf(settings), strict: settings.catalogStrictHealth };
    const publishing = { ...this.#publishing, rules: NAMESPACE_RULES, store: problems };
    return new ObservedCluster({
      client,
      clock,
      log,
      metrics,
      globalCatalogNamespace,
      caches,
      pace: this.#pace,
      // If the applier is in the same process, its caches are open. Objects that are being deleted are not
      // known.
      turns: caches === undefined ? this.#turns : undefined,
      onRowsMoved: (namespace) => (namespace === undefined ? rows.touchAll() : rows.touch(namespace)),
      onSystemNamespace: () => this.detectors.ownerTouched(client.cluster),
      catalogs: (onChange) =>
        new ClusterCatalogs({ client, clock, log, status, isObserved, onChange, catalogs, random }),
      // Nothing is solved for a cluster that the hub only observes.
      publish: async (...what) => !isObserved && publishProblem<NamespaceProblems>(publishing, ...what),
      wanted: isObserved ? undefined : this.#wantedIn(client.cluster, globalCatalogNamespace, publishing),
    });
  }

  #wantedIn(
    cluster: string,
    globalCatalogNamespace: string,
    publishing: PublishDeps<NamespaceProblems>,
  ): WantedInCluster | undefined {
    const { wanted } = this;
    if (wanted === undefined) return undefined;
    return {
      namespaces: () => wanted.namespacesIn(cluster),
      publish: (snapshot) => {
        const desired = wanted.in(cluster, snapshot.namespace, globalCatalogNamespace);
        return publishPreviews(publishing, cluster, snapshot, desired);
      },
    };
  }

  #fleetContents(): FleetContents {
    const { hub, metas, random } = this;
    const onContent = () => {
      for (const { v1 } of this.#membership.all().values()) v1.extensions.touchWanted();
    };
    return new FleetContents({ clock: hub.clock, metas, random, load: this.#jsonl.load, onContent });
  }

  #wantedExtensions(
    cluster: string,
    publishing: PublishDeps<ExtensionProblems>,
    gates: FeatureGates,
  ): WantedExtensions | undefined {
    const { wanted } = this;
    const contents = this.#contents;
    if (wanted === undefined || contents === undefined) return undefined;
    const [named, packages] = [namedExtensions(() => wanted.extensionsIn(cluster)), this.#packages];
    return {
      names: (all) => new Set(named(all).keys()),
      publish: async (subject, seen, all) => {
        const desired = named(all).get(subject.extension);
        if (desired === undefined) return;
        await publishExtensionPreview(publishing, subject, { ...seen, packages, gates }, desired, contents);
      },
    };
  }

  #v1(client: KubeClient, rows: ClusterRows): ObservedV1 {
    const { hub, caches, metas, random } = this;
    const isObserved = this.clusters.isObserved(client.cluster);
    const { clock, log, metrics, extensionProblems, settings } = hub;
    const publishing = { ...this.#publishing, rules: EXTENSION_RULES, store: extensionProblems };
    const gates = extensionGatesOf(settings);
    return new ObservedV1({
      catalogs: {
        ...{
          client,
          clock,
          log,
          metas,
          load: this.#jsonl.load,
          tryAgain: this.#jsonl.tryAgain,
          random,
          contentUrl: contentUrlOf(settings),
        },
        troubles: metrics.troubles,
        isObserved,
      },
      extensions: {
        client,
        clock,
        log,
        metrics: metrics.extensions,
        caches,
        pace: this.#pace,
        packages: this.#packages,
        onRowsMoved: () => rows.touch(NO_NAMESPACE),
        gates,
        wanted: isObserved ? undefined : this.#wantedExtensions(client.cluster, publishing, gates),
        publish: async (subject, problem, seen, sinceMs) => {
          if (isObserved) return;
          await publishProblem<ExtensionProblems>(publishing, subject, problem, seen, 'now', sinceMs);
        },
      },
    });
  }

  /** Returns the inputs of publishing for subjects of all kinds. */
  get #publishing() {
    const { problems, queues, settings } = this.hub;
    const { resolve, apply } = queues;
    const onChange = (change: PublishedChange) => this.#noteChange(change);
    return { seen: problems, resolve, apply, solveDeadlineMs: settings.solveDeadline, onChange };
  }

  #noteChange({ change, problem, subject, sinceMs }: PublishedChange): void {
    const { clock, log, metrics, tracer } = this.hub;
    const endMs = clock.now().getTime();
    const seconds = sinceMs === undefined ? undefined : Math.max(0, endMs - sinceMs) / 1_000;
    if (seconds !== undefined) metrics.stages.took('observe', seconds);
    tracer?.ended({ name: 'observe', change, startMs: sinceMs ?? endMs, endMs, attributes: { ...subject, problem } });
    log.info({ ...subject, change, problem, seconds }, `${subjectKind(subject)} has another problem`);
  }

  #countObjects(): void {
    for (const [cluster, { classic }] of this.#membership.all()) {
      this.hub.metrics.objectCounts(cluster, classic.counts());
    }
  }

  #forgetUnused(): void {
    const used = [...this.#membership.all().values()].flatMap(({ classic }) =>
      classic.catalogs.all().flatMap(({ loaded }) => loaded?.digest ?? []),
    );
    this.contents.retain(new Set(used));
    this.catalogs.tidy();
  }
}
