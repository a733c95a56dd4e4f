import { APPLIER } from '#core/kernel/actions/field-managers';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { desiredExtension } from '#core/v1/extension/extension-problem';
import { OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { bundleOf, revisionStates } from '#core/v1/revision/revision-states';
import type { ExtensionDeps } from '#lifecycle/v1/extensions/extension-deps';
import { reconcileExtension } from '#lifecycle/v1/reconcile-extension';
import { ManualClock } from '#platform/clock/manual-clock';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { shippedManifests } from '#platform/joining/shipped-manifests';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { memoryQueues } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import { silentLog } from '#platform/telemetry/log.port';
import { BareCluster } from '#testing/cluster/bare-cluster';
import { directClient } from '#testing/cluster/direct-client';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { pause } from '#testing/patience';
import { offeredName } from '../bundles/bundle-files.js';
import type { CorpusCase } from '../corpus-case.js';

/** More passes than a revision of several phases needs, with the pauses in between on the clock. */
const PASSES = 20;
const PAUSE_MS = 2_000;
/** After so many passes that change nothing it stays so: longer than any pause of a pass, on the clock. */
const QUIET_PASSES = 6;
/** An image comes over HTTP, and outside of the clock: so many passes may find that it has not come yet. */
const PULLING = 100;
const PULL_PAUSE_MS = 2;

/** The end of a ClusterExtension. */
export type ExtensionEnd = Readonly<{ installed: boolean; told: readonly string[] }>;

/**
 * The applier of OLM v1 at work on one simulated cluster, in this process. The stored values of poller and
 * resolver are given: the bundle of a case is the chosen one. Images are pulled from a registry over HTTP.
 */
export class ExtensionHub {
  readonly cluster: SimulatedCluster;
  readonly #clock = new ManualClock('2026-12-01T00:00:00Z');
  readonly #bare = new BareCluster({ deploymentReadyAfterMs: 0 });
  readonly #store = new MemoryProblemStore<ExtensionProblems>();
  readonly #pulls = BundlePulls.withoutTurns(new HttpRegistryClient({ store: new MemoryContentStore() }));
  readonly #client: KubeClient;
  readonly #deps: ExtensionDeps;

  private constructor() {
    this.cluster = this.#bare.cluster;
    this.#client = directClient(this.cluster, APPLIER).client;
    this.#deps = {
      ...{ store: this.#store, pulls: this.#pulls, log: silentLog },
      check: { admit: async () => true },
      observe: memoryQueues({ clock: this.#clock }).observe,
      wake: () => undefined,
      credentials: async () => ({}),
      onRolledOut: () => undefined,
      systemNamespace: SYSTEM_NAMESPACE,
      helmReleaseNamespace: '',
      unpackTimeoutMs: 60_000,
      secretIntervalMs: 60_000,
    };
  }

  /** A cluster with the kinds of OLM v1. */
  static async start(): Promise<ExtensionHub> {
    const hub = new ExtensionHub();
    for (const crd of (await shippedManifests()).crds) hub.cluster.create(crd);
    hub.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } });
    while (!(await hub.#client.serves(CLUSTER_EXTENSION_API))) await pause(0);
    return hub;
  }

  stop(): void {
    this.#pulls.stop();
    this.#bare.stop();
  }

  /** Installs the bundle of a case from its image. */
  async install(one: CorpusCase, image: string): Promise<ExtensionEnd> {
    const name = one.draft.key;
    this.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const source = { sourceType: 'Catalog', catalog: { packageName: one.draft.packageName } };
    this.cluster.create({ ...CLUSTER_EXTENSION_API, metadata: { name }, spec: { namespace: name, source } });
    const { signal } = new AbortController();
    const place = { client: this.#client, reads: this.#client, name };
    let [before, quiet] = ['', 0];
    for (let pass = 0, pulling = 0; pass < PASSES && quiet < QUIET_PASSES && !this.#endOf(name).installed; ) {
      await this.#choose(one, image);
      await reconcileExtension(this.#deps, place, this.#clock, signal);
      const now = this.#versionsOf(name);
      quiet = now === before ? quiet + 1 : 0;
      before = now;
      const isPulling = this.#endOf(name).told.length === 0 && pulling < PULLING;
      if (isPulling) pulling += 1;
      else pass += 1;
      if (isPulling) await pause(PULL_PAUSE_MS);
      else await this.#clock.advance(PAUSE_MS);
    }
    return this.#endOf(name);
  }

  /** Stores the answer for the extension, as poller and resolver do. */
  async #choose({ draft }: CorpusCase, image: string): Promise<void> {
    const { key, version } = draft;
    const { installed } = revisionStates(this.#revisions(key));
    const extension = desiredExtension(this.#live(key), installed && bundleOf(installed).bundle);
    if (extension === undefined) throw new Error(`ClusterExtension ${key} names no catalog`);
    const problem = await this.#store.putProblem({ v: 1, extension, catalogs: [] }, new Map());
    await this.#store.putObservation(this.#client.cluster, key, { problem });
    const bundle = { name: offeredName(draft), version };
    const answer = { catalog: 'corpus', deprecation: null, heldBack: null };
    await this.#store.putSolution(problem, { class: 'Resolved', bundle, image, ...answer });
  }

  #live = (name: string): ClusterExtension =>
    ClusterExtension.parse(this.cluster.get({ ...CLUSTER_EXTENSION_API, name }));

  #revisions = (extension: string): ClusterObjectSet[] =>
    this.cluster
      .list(CLUSTER_OBJECT_SET_API)
      .filter(({ metadata }) => metadata.labels?.[OWNER_NAME_LABEL] === extension)
      .map((object) => ClusterObjectSet.parse(object));

  /** Another text after each change of the extension or of its revisions. */
  #versionsOf = (name: string): string =>
    [this.#live(name), ...this.#revisions(name)].map(({ metadata }) => metadata.resourceVersion).join();

  #endOf(name: string): ExtensionEnd {
    const conditions = this.#live(name).status?.conditions ?? [];
    const installed = conditions.some(({ type, status }) => type === 'Installed' && status === 'True');
    const told = conditions.filter(({ type, status }) => ['Installed', 'Progressing'].includes(type) && status !== '');
    return { installed, told: told.map(({ type, reason, message }) => `${type} ${reason}: ${message}`) };
  }
}

const SYSTEM_NAMESPACE = 'flotilla-system';
