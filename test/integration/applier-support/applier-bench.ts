import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { packageRecords } from '#core/catalog/load/package-records';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { indexCatalog, sliceCatalogs } from '#core/classic/resolution/problem/catalog-slice';
import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import { problemHash } from '#core/classic/resolution/problem/problem-hash';
import type { ObservedNamespace } from '#core/classic/resolution/problem/resolution-problem';
import { resolveAsked } from '#core/classic/upgrade-path/asked-path';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import type { Subscription } from '#core/kernel/api/subscription';
import { type DesiredClassic, previewPlace } from '#core/rollout/desired/desired-classic';
import { beginningWith } from '#core/rollout/desired/first-bundle';
import { previewedNamespace, subscriptionFor } from '#core/rollout/desired/previewed-namespace';
import { ClusterCaches } from '#lifecycle/engine/caches/cluster-caches';
import { SystemClock } from '#platform/clock/system-clock';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { FairLimiter } from '#platform/fairness/fair-limiter';
import { Lanes } from '#platform/fairness/lanes';
import { Patience } from '#platform/fairness/patience';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { readTree } from '#platform/files/read-tree';
import { HubKey } from '#platform/keys/hub-key';
import type { SeenVersions } from '#platform/kube/cache/seen-versions';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { memoryQueues } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { LogFields } from '#platform/telemetry/log.port';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { RefusedValues } from '#platform/telemetry/metrics/refused-values';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { PATIENCE_MS, pause } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { readNamespace } from '../../../libs/lifecycle/src/classic/namespaces/namespace-read.js';
import type { NamespaceStage } from '../../../libs/lifecycle/src/classic/namespaces/namespace-stage.js';
import { reconcileNamespace } from '../../../libs/lifecycle/src/classic/namespaces/reconcile-namespace.js';
import { type StagesHub, stagesOf } from '../../../libs/lifecycle/src/classic/stages.js';
import { CACHED_KINDS } from '../../../libs/lifecycle/src/engine/caches/cached-kinds.js';
import { ClusterView } from '../../../libs/lifecycle/src/engine/caches/cluster-view.js';
import { PassReader } from '../../../libs/lifecycle/src/engine/passes/pass-reader.js';
import { pauseAfter } from '../../../libs/lifecycle/src/engine/passes/reconcile-loop.js';
import { placeParts } from '../../../libs/lifecycle/src/rollouts/orders/place-parts.js';
import type { ClassicPreview } from '../../../libs/lifecycle/src/rollouts/previews/classic-preview.js';
import { established } from './established-crds.js';
import { putSamples } from './sample-bundles.js';

const EXAMPLES = join(PROJECT_ROOT, 'examples');
const GLOBAL = 'olm';
const CATALOG = 'samples';
const OLM = 'operators.coreos.com';

/** The pause after a pass that found nothing to do. A pass that did something is followed at once. */
const SHORTEST_IDLE_MS = 10;
const LONGEST_IDLE_MS = 80;

type CatalogIndex = ReturnType<typeof indexCatalog>;

export type BenchSettings = Readonly<{
  /** Name of the cluster; default: `east`. */
  name?: string;
  protectedCopiedCsvNamespaces?: readonly string[];
  /** Passes read from the cache, as they do in the service. */
  cached?: boolean;
  foreignInstallPlans?: 'accept' | 'refuse';
  /** Milliseconds that a failing step is tried again; 15 s without it. */
  installPlanRetryTimeout?: number;
  /** Milliseconds until a Deployment is Available; 20 without it. */
  deploymentReadyAfterMs?: number;
}>;

/**
 * The applier's own code on one simulated cluster, pass by pass, in this process. Poller and resolver are
 * their pure parts, called in between, so that every request of the log is the applier's (or the test's own).
 */
export class ApplierBench {
  readonly problems = new MemoryProblemStore();
  readonly logged: Readonly<{ fields: LogFields; message: string }>[] = [];
  readonly metrics = new Metrics({ processMetrics: false });
  readonly client: KubeClient;
  readonly cluster: SimulatedCluster;
  stages: readonly NamespaceStage[];
  readonly #settings: StagesHub['settings'];
  /** Further files of the catalog, beside the samples. */
  readonly offered: BundleFile[] = [];
  /** The applier's content store, besides images. */
  readonly content = new MemoryContentStore();
  readonly #key = HubKey.random();
  readonly #clock = new BenchClock();
  readonly #queues = memoryQueues();
  readonly #view: ClusterView | undefined;
  #pulls: BundlePulls | undefined;
  #parts: ReturnType<ReturnType<typeof placeParts>> | undefined;
  #edition: 'v1' | 'v2' = 'v1';
  #known: Readonly<{ offered: readonly unknown[]; index: CatalogIndex }> | undefined;

  private constructor(
    private readonly direct: DirectCluster,
    readonly registry: InMemoryRegistry,
    {
      protectedCopiedCsvNamespaces: namespaces = [],
      cached = false,
      foreignInstallPlans = 'accept',
      installPlanRetryTimeout = 15_000,
    }: BenchSettings,
  ) {
    const { client, cluster } = direct;
    this.client = client;
    this.cluster = cluster;
    this.#settings = {
      installPlanRetryTimeout,
      bundleUnpackTimeout: 60_000,
      protectedCopiedCsvNamespaces: [...namespaces],
      foreignInstallPlans,
    };
    this.stages = this.#newStages();
    const note = () => undefined;
    const log = { debug: note, info: note, warn: note, error: note };
    const clock = this.#clock;
    if (cached) this.#view = new ClusterView({ client, clock, caches: new ClusterCaches({ clock, log }) });
  }

  /** Plays a takeover by another process: it has no fetched content. */
  restart(): void {
    this.stages = this.#newStages();
  }

  #newStages(): readonly NamespaceStage[] {
    return stagesOf(this.#hub());
  }

  #hub() {
    const note = (fields: LogFields, message: string) => void this.logged.push({ fields, message });
    const log = { debug: () => undefined, info: note, warn: note, error: note };
    return {
      problems: this.problems,
      bundlePulls: this.#newPulls(),
      content: this.content,
      key: this.#key,
      log,
      metrics: this.metrics,
      refused: new RefusedValues(log, this.metrics, this.#clock),
      queues: this.#queues,
      settings: this.#settings,
    };
  }

  #newPulls(): BundlePulls {
    this.#pulls?.stop();
    const limiter = (total: number) => new FairLimiter({ total, perCluster: total, perNamespace: 2 });
    const lanes = new Lanes({ first: limiter(8), slow: limiter(4), firstMs: 5_000 });
    this.#pulls = new BundlePulls(new HttpRegistryClient({ store: new MemoryContentStore() }), lanes);
    return this.#pulls;
  }

  /** A cluster with OLM's kinds and a global catalog of the samples. */
  static async start(settings: BenchSettings = {}): Promise<ApplierBench> {
    const { name = 'east', deploymentReadyAfterMs = 20 } = settings;
    const direct = directCluster(name, { deploymentReadyAfterMs });
    const registry = await startRegistry();
    await putSamples(registry);
    await serveKnownCrds(direct.client, direct.cluster);
    await established(direct.cluster);
    const bench = new ApplierBench(direct, registry, settings);
    bench.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: GLOBAL } });
    const source = {
      apiVersion: `${OLM}/v1alpha1`,
      kind: 'CatalogSource',
      metadata: { name: CATALOG, namespace: GLOBAL },
    };
    bench.cluster.create({ ...source, spec: { sourceType: 'grpc', image: 'example.com/samples:1' } });
    return bench;
  }

  async stop(): Promise<void> {
    this.#pulls?.stop();
    await this.#view?.stop();
    await this.direct.stop();
    await this.registry.stop();
  }

  /** Makes the catalog offer the second edition of the samples. */
  publishSecondEdition(): void {
    this.#edition = 'v2';
  }

  namespace(
    name: string,
    targets: readonly string[] | 'all' = [name],
    spec: Readonly<Record<string, unknown>> = {},
  ): void {
    this.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    this.cluster.create({
      apiVersion: `${OLM}/v1`,
      kind: 'OperatorGroup',
      metadata: { name: `${name}-group`, namespace: name },
      spec: { ...(targets === 'all' ? {} : { targetNamespaces: [...targets] }), ...spec },
    });
  }

  subscribe(namespace: string, packageName: string, approval: 'Automatic' | 'Manual' = 'Automatic'): void {
    this.cluster.create({
      apiVersion: `${OLM}/v1alpha1`,
      kind: 'Subscription',
      metadata: { name: packageName, namespace },
      spec: {
        name: packageName,
        channel: 'stable',
        source: CATALOG,
        sourceNamespace: GLOBAL,
        installPlanApproval: approval,
      },
    });
  }

  /** Lets time pass for the applier, without waiting. */
  later(ms: number): void {
    this.#clock.ahead += ms;
  }

  /** One job of the applier; it waits so long for work that goes on without it. */
  async pass(
    namespace: string,
    waitsMs?: number,
  ): Promise<Readonly<{ rounds: number; againAfterMs: number | undefined }>> {
    const { signal } = new AbortController();
    const { client } = this;
    // API servers send them once a minute. A watch with a selector learns its place only from them.
    if (this.#view !== undefined) this.cluster.bookmarkWatches();
    const reads = (await this.#view?.reads(this.#seen())) ?? client;
    const place = { client, reads, namespace, globalCatalogNamespace: GLOBAL };
    const outcome = await reconcileNamespace(place, this.stages, this.#clock, signal, new Patience(waitsMs));
    return { rounds: outcome.rounds, againAfterMs: pauseAfter(outcome) };
  }

  /** The resourceVersions of a poller that has seen everything. */
  #seen(): SeenVersions {
    const newest = CACHED_KINDS.map(({ apiVersion, kind }) => {
      const versions = this.cluster.list({ apiVersion, kind }).map(({ metadata }) => Number(metadata.resourceVersion));
      return [kind, String(Math.max(0, ...versions))];
    });
    return Object.fromEntries(newest);
  }

  /**
   * Does the work of poller and resolver between passes: observes the namespace, and answers its problem. Not
   * counted as requests.
   */
  async observe(namespace: string): Promise<void> {
    const counted = [...this.cluster.requests];
    const read = await readNamespace(new PassReader(this.client), namespace, GLOBAL);
    this.cluster.requests.clear();
    this.cluster.requests.push(...counted);
    await this.#solve(namespace, read);
  }

  /** Returns the next install of the cluster with the fleet's desired state, after poller and resolver. */
  async preview(wanted: DesiredClassic): Promise<ClassicPreview> {
    const { namespace, package: packageName } = wanted.operator.spec;
    const read = await readNamespace(new PassReader(this.client), namespace, GLOBAL);
    const record = (await this.#index()).package(packageName)?.record;
    const overlaid = previewedNamespace(read, beginningWith(wanted, read, record), false);
    if (typeof overlaid !== 'string') {
      const path = subscriptionFor(overlaid, wanted)?.metadata.name;
      await this.#solve(previewPlace(namespace, packageName), { ...read, ...overlaid }, path);
    }
    return this.placeParts.previews.preview(wanted);
  }

  /** The place of the orders of a fleet, as in the applier. */
  get placeParts(): ReturnType<ReturnType<typeof placeParts>> {
    this.#parts ??= placeParts(this.#hub())(this.client, GLOBAL);
    return this.#parts;
  }

  /** Observes the objects of a place, and answers its problem; `path`: a Subscription's hops, too. */
  async #solve(place: string, read: ObservedNamespace, path?: string): Promise<void> {
    const desired = desiredNamespaceOf(read);
    const index = await this.#index();
    const { slices, records } = sliceCatalogs(desired, [
      { key: { namespace: GLOBAL, name: CATALOG }, priority: 0, index },
    ]);
    const asked = path === undefined ? {} : { path };
    const problem = { v: 1 as const, wishes: desired, catalogs: slices, ...asked };
    await this.problems.putProblem(problem, records);
    await this.problems.putObservation(this.client.cluster, place, { problem: problemHash(problem) });
    const recordOf = (hash: string) => {
      const record = records.get(hash);
      if (record === undefined) throw new Error(`no record ${hash}`);
      return record;
    };
    await this.problems.putSolution(problemHash(problem), resolveAsked(problem, recordOf));
  }

  /** Observes and passes in turn until `settled` holds and a pass finds nothing to do. */
  async settle(namespace: string, settled: () => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    let idle = SHORTEST_IDLE_MS;
    for (;;) {
      await this.observe(namespace);
      const { rounds } = await this.pass(namespace);
      if (rounds === 1 && settled()) return;
      idle = rounds === 1 ? Math.min(2 * idle, LONGEST_IDLE_MS) : SHORTEST_IDLE_MS;
      if (performance.now() > deadline)
        throw new Error(
          `${namespace} does not settle: ${this.describe(namespace)} ${JSON.stringify(this.subscriptions(namespace).map((s) => s.status?.conditions))}`,
        );
      await pause(idle);
    }
  }

  /** Settles once these CSVs, and no others, have succeeded there. */
  installed(namespace: string, ...names: readonly string[]): Promise<void> {
    return this.settle(
      namespace,
      () =>
        this.describe(namespace) ===
        [...names]
          .sort()
          .map((name) => `${name} Succeeded`)
          .join(', '),
    );
  }

  /** CSVs of the namespace with their phases, copies left out. */
  describe(namespace: string): string {
    return this.csvs(namespace)
      .filter(({ status }) => status?.reason !== 'Copied')
      .map(({ metadata, status }) => `${metadata.name} ${status?.phase ?? ''}`)
      .sort()
      .join(', ');
  }

  csvs(namespace?: string): readonly ClusterServiceVersion[] {
    return this.#list<ClusterServiceVersion>('ClusterServiceVersion', namespace);
  }

  subscriptions(namespace: string): readonly Subscription[] {
    return this.#list<Subscription>('Subscription', namespace);
  }

  #list<T>(kind: string, namespace?: string): readonly T[] {
    const where = { apiVersion: `${OLM}/v1alpha1`, kind, ...(namespace === undefined ? {} : { namespace }) };
    return this.cluster.list(where) as readonly unknown[] as readonly T[];
  }

  /** The index of the present catalog; reading it costs more than a pass. */
  async #index(): Promise<CatalogIndex> {
    const offered = [this.#edition, ...this.offered];
    const known = this.#known;
    if (known !== undefined && isDeepStrictEqual(known.offered, offered)) return known.index;
    const index = indexCatalog(await this.#records());
    this.#known = { offered, index };
    return index;
  }

  async #records() {
    const files = await readTree(join(EXAMPLES, 'catalogs', this.#edition));
    const catalog = loadCatalog([...files.map((file) => rehosted(file, this.registry.host)), ...this.offered]);
    return packageRecords(catalog, ({ name }) => {
      throw new Error(`bundle ${name} has no image`);
    });
  }
}

class BenchClock extends SystemClock {
  ahead = 0;
  override now(): Date {
    return new Date(super.now().getTime() + this.ahead);
  }
}

const rehosted = ({ path, bytes }: BundleFile, host: string): BundleFile => ({
  path,
  bytes: new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll('registry.example/', `${host}/`)),
});
