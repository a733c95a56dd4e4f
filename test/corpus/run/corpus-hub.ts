import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APPLIER, POLLER } from '#core/kernel/actions/field-managers';
import { CatalogContents } from '#lifecycle/catalogs/contents/catalog-contents';
import { readCatalog } from '#lifecycle/catalogs/contents/read-catalog';
import { ClusterCatalogs } from '#lifecycle/catalogs/sources/cluster-catalogs';
import { SharedCatalogs } from '#lifecycle/catalogs/sources/shared-catalogs';
import type { NamespaceStage } from '#lifecycle/classic/namespaces/namespace-stage';
import { reconcileNamespace } from '#lifecycle/classic/namespaces/reconcile-namespace';
import { ObservedCluster } from '#lifecycle/classic/observation/observed-cluster';
import { stagesOf } from '#lifecycle/classic/stages';
import { CACHED_KINDS } from '#lifecycle/engine/caches/cached-kinds';
import { ClusterCaches } from '#lifecycle/engine/caches/cluster-caches';
import { ClusterView } from '#lifecycle/engine/caches/cluster-view';
import { pauseAfter } from '#lifecycle/engine/passes/reconcile-loop';
import { NAMESPACE_RULES } from '#lifecycle/engine/publishing/problem-families';
import { publishProblem } from '#lifecycle/engine/publishing/publish-problem';
import { SolvedProblems } from '#lifecycle/engine/publishing/solved-problems';
import { NamespaceSolver } from '#lifecycle/solve/namespace-solver';
import { solve } from '#lifecycle/solve/solve';
import { SolveProblem } from '#lifecycle/solve/solve-problem';
import { ManualClock } from '#platform/clock/manual-clock';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { shippedManifests } from '#platform/joining/shipped-manifests';
import { HubKey } from '#platform/keys/hub-key';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { SubjectJob } from '#platform/queue/jobs';
import { memoryQueues, type Queues } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { ExtensionProblems, NamespaceProblems } from '#platform/store/problem-store.port';
import { RecordCache } from '#platform/store/record-cache';
import type { Log, LogFields } from '#platform/telemetry/log.port';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { RefusedValues } from '#platform/telemetry/metrics/refused-values';
import { BareCluster } from '#testing/cluster/bare-cluster';
import { directClient } from '#testing/cluster/direct-client';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { pause } from '#testing/patience';

/** The namespace of the catalogs that every namespace sees. */
export const GLOBAL = 'olm';

/** A line that the services wrote at level warn or error. */
export type LoggedLine = Readonly<{ level: 'warn' | 'error'; fields: LogFields; message: string }>;

const RECORD_BYTES = 64 * 2 ** 20;
const CONCURRENCY = 8;
/** Time of retries of a failing plan: a minute in production, and each second costs a pass. */
const PLAN_RETRY_MS = 3_000;
const UNPACK_MS = 60_000;
/** The longest step of the clock; work that is due runs in between. */
const STEP_MS = 250;

/**
 * Poller, resolver and applier of OLM Classic at work on one simulated cluster, all in this process: their
 * own code with queues and stores in memory, requests to the cluster as function calls, and a clock that
 * moves as fast as the work is done. Images are pulled from a registry over HTTP.
 */
export class CorpusHub {
  readonly clock = new ManualClock('2026-12-01T00:00:00Z');
  readonly logged: LoggedLine[] = [];
  readonly cluster: SimulatedCluster;
  readonly #bare = new BareCluster({ deploymentReadyAfterMs: 0 });
  readonly #log = this.#recordingLog();
  readonly #metrics = new Metrics({ processMetrics: false });
  readonly #problems = new MemoryProblemStore();
  readonly #content = new MemoryContentStore();
  readonly #pulls: BundlePulls;
  readonly #queues: Queues;
  readonly #caches = new ClusterCaches({ clock: this.clock, log: this.#log });
  readonly #applier: KubeClient;
  readonly #view: ClusterView;
  readonly #observed: ObservedCluster;

  private constructor(private readonly folder: string) {
    this.cluster = this.#bare.cluster;
    const registry = new HttpRegistryClient({ store: new MemoryContentStore() });
    const { clock } = this;
    const log = this.#log;
    this.#pulls = BundlePulls.withoutTurns(registry);
    this.#queues = memoryQueues({ clock, log, random: () => 0.5 });
    this.#applier = directClient(this.cluster, APPLIER).client;
    this.#view = new ClusterView({ client: this.#applier, clock, caches: this.#caches, staysOpen: true });
    const reader = { read: (request: Parameters<typeof readCatalog>[0]) => readCatalog(request) };
    const contents = new CatalogContents(registry, this.#content, folder, reader);
    this.#observed = this.#observedCluster(new SharedCatalogs({ contents, clock, random: () => 0.5 }));
  }

  /** A cluster with OLM's kinds and the namespace of global catalogs, and the services at work on it. */
  static async start(): Promise<CorpusHub> {
    const hub = new CorpusHub(await mkdtemp(join(tmpdir(), 'flotilla-corpus-hub-')));
    for (const crd of (await shippedManifests()).crds) hub.cluster.create(crd);
    hub.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: GLOBAL } });
    for (let turn = 0; turn < 8; turn += 1) await pause(0);
    await hub.#start();
    return hub;
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#queues).map((queue) => queue.close({ deadlineMs: 0 })));
    await this.#observed.stop();
    await this.#view.stop();
    this.#pulls.stop();
    this.#bare.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /**
   * Moves the clock in steps while the services work, until `settled` holds or `patienceMs` have passed on
   * the clock; answers whether it holds.
   */
  async until(settled: () => boolean, patienceMs: number): Promise<boolean> {
    const end = this.clock.now().getTime() + patienceMs;
    while (!settled()) {
      if (this.clock.now().getTime() >= end) return false;
      await this.#rest();
      await this.clock.advance(STEP_MS);
    }
    return true;
  }

  /** Waits until no job runs. Work outside of this clock, such as a registry, has then answered. */
  async #rest(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      await pause(0);
      const counts = await Promise.all(Object.values(this.#queues).map((queue) => queue.counts()));
      quiet = counts.some(({ active, waiting }) => active + waiting > 0) ? 0 : quiet + 1;
    }
  }

  async #start(): Promise<void> {
    const queues = this.#queues;
    const store = this.#problems;
    const solver = new NamespaceSolver(new RecordCache(store, RECORD_BYTES), {
      solve: async (request) => solve(request),
      deadlineMs: 60_000,
    });
    const solving = new SolveProblem({ store, solver, solved: queues.solved, log: this.#log, onSolved: () => {} });
    const solved = new SolvedProblems({
      problems: store,
      extensionProblems: new MemoryProblemStore<ExtensionProblems>(),
      queues,
    });
    const stages = this.#stages();
    const concurrency = CONCURRENCY;
    await queues.resolve.process(({ problem, owner }) => solving.run(problem, owner), { concurrency });
    await queues.solved.process((job) => solved.run(job), { concurrency });
    await queues.observe.process(
      async (job) => {
        if ('namespace' in job) this.#observed.touch(job.namespace, 'for-news');
      },
      { concurrency },
    );
    await queues.apply.process((job, { signal }) => this.#pass(job, stages, signal), { concurrency });
    this.#view.start();
    await this.#observed.start();
  }

  async #pass(job: SubjectJob, stages: readonly NamespaceStage[], signal: AbortSignal): Promise<void> {
    if (!('namespace' in job)) return;
    const { cluster, namespace } = job;
    const client = this.#applier;
    const kinds = [...CACHED_KINDS.map(({ kind }) => kind), 'CustomResourceDefinition'];
    const seen = await this.#problems.getSeen(cluster, namespace, kinds);
    const place = { client, reads: await this.#view.reads(seen), namespace, globalCatalogNamespace: GLOBAL };
    const outcome = await reconcileNamespace(place, stages, this.clock, signal);
    if (outcome.result === 'done') await this.#queues.apply.forgetDelayed(job);
    const delayMs = pauseAfter(outcome);
    if (delayMs !== undefined) await this.#queues.apply.add(job, { delayMs });
  }

  #stages(): readonly NamespaceStage[] {
    return stagesOf({
      problems: this.#problems,
      bundlePulls: this.#pulls,
      content: this.#content,
      key: HubKey.random(),
      log: this.#log,
      metrics: this.#metrics,
      refused: new RefusedValues(this.#log, this.#metrics, this.clock),
      queues: this.#queues,
      settings: {
        installPlanRetryTimeout: PLAN_RETRY_MS,
        bundleUnpackTimeout: UNPACK_MS,
        protectedCopiedCsvNamespaces: [],
        foreignInstallPlans: 'refuse',
      },
    });
  }

  #observedCluster(catalogs: SharedCatalogs): ObservedCluster {
    const { clock } = this;
    const log = this.#log;
    const { resolve, apply } = this.#queues;
    const { client } = directClient(this.cluster, POLLER);
    const publishing = {
      ...{ rules: NAMESPACE_RULES, store: this.#problems, seen: this.#problems, resolve, apply },
      solveDeadlineMs: 60_000,
    };
    const status = { contentUrl: '', strict: false };
    return new ObservedCluster({
      ...{ client, clock, log, metrics: this.#metrics, globalCatalogNamespace: GLOBAL, caches: this.#caches },
      catalogs: (onChange) =>
        new ClusterCatalogs({ client, clock, log, status, onChange, catalogs, random: () => 0.5 }),
      publish: (...what) => publishProblem<NamespaceProblems>(publishing, ...what),
    });
  }

  #recordingLog(): Log {
    const nothing = () => undefined;
    const at = (level: LoggedLine['level']) => (fields: LogFields, message: string) =>
      void this.logged.push({ level, fields, message });
    return { debug: nothing, info: nothing, warn: at('warn'), error: at('error') };
  }
}
