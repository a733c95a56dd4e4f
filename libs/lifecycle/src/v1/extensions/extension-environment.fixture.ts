import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { KubernetesObject, type ObjectRef } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { annotationsFile, csv, deployment, file } from '#core/v1/bundle-render/sample-bundle.fixture';
import { desiredExtension, type ExtensionSolution } from '#core/v1/extension/extension-problem';
import type { InstalledBundle } from '#core/v1/revision/installed-revision';
import { OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { bundleOf, revisionStates } from '#core/v1/revision/revision-states';
import { ManualClock } from '#platform/clock/manual-clock';
import { Patience } from '#platform/fairness/patience';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { memoryQueues } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { type PulledImage, RegistryClient, RegistryError } from '#platform/registry/client/registry-client.port';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectCluster, type DirectClusterOptions, directCluster } from '#testing/cluster/direct-client';
import { defineKinds, keepKnown } from '#testing/cluster/known-definitions';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { pause } from '#testing/patience';
import { type ClusterReads, PassReader } from '../../engine/passes/pass-reader.js';
import type { PassOutcome } from '../../engine/passes/reconcile-loop.js';
import { reconcileExtension, reconcileObjectSet } from '../reconcile-extension.js';
import type { ExtensionDeps } from './extension-deps.js';
import type { ExtensionPass } from './extension-pass.js';
import { readExtension } from './read-extension.js';

export const SYSTEM_NAMESPACE = 'flotilla-system';
/** The namespace of the samples. */
export const NAMESPACE = 'mill';
const SECRET_INTERVAL_MS = 60_000;

const KINDS = ['clustercatalogs', 'clusterextensions', 'clusterobjectsets'];
let definitions: Promise<KubernetesObject[]> | undefined;

async function readDefinitions(): Promise<KubernetesObject[]> {
  const paths = KINDS.map((kind) => join(PROJECT_ROOT, 'k8s/crds', `olm.operatorframework.io_${kind}.yaml`));
  return Promise.all(paths.map(async (path) => KubernetesObject.parse(load(await readFile(path, 'utf8')))));
}

/** Bundle images by reference; `away` fails every pull. */
export class BundleShelf extends RegistryClient {
  readonly images = new Map<string, readonly BundleFile[]>();
  pulls = 0;
  away: Error | undefined;
  /** Every pull waits for it. */
  slow: Promise<void> = Promise.resolve();
  #digest = 0;

  access = (reference: string): string => reference;
  resolve = (): never => {
    throw new Error('no bundle is resolved alone');
  };
  pullTo = this.resolve;

  /** Puts a bundle, under a digest of its own. */
  put(image: string, ...manifests: readonly object[]): void {
    this.#digest += 1;
    const files = manifests.map((manifest, at) => file(`manifests/${at}.yaml`, manifest));
    this.images.set(image, [annotationsFile, ...files]);
  }

  async pull(image: string): Promise<PulledImage> {
    this.pulls += 1;
    await this.slow;
    if (this.away !== undefined) throw this.away;
    const files = this.images.get(image);
    if (files === undefined) throw new RegistryError('NotFound', image, `image ${image} is not in the registry`);
    const digest = `sha256:${String(this.#digest).padStart(64, '0')}` as const;
    return { digest, resolved: digest, labels: {}, files };
  }
}

/** A CSV without Deployments: everything that a bundle brings besides is ready at once. */
export const quietCsv = (spec: object = {}, install: object = {}, annotations?: object): object =>
  csv(spec, { deployments: [], ...install }, annotations);
export const runningCsv = (spec: object = {}, install: object = {}): object =>
  csv(spec, { deployments: [deployment('gear')], ...install });

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}, namespace = NAMESPACE) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});
export const configMapRef = (name: string): ObjectRef => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  namespace: NAMESPACE,
});

/** `type=status reason: message` of each condition. */
const conditionsOf = (object: { status?: { conditions?: ClusterObjectSetCondition[] | undefined } | undefined }) =>
  Object.fromEntries(
    (object.status?.conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      `${status} ${reason}: ${message}`,
    ]),
  );
type ClusterObjectSetCondition = Readonly<{ type: string; status: string; reason: string; message: string }>;

/**
 * One simulated cluster with OLM v1's kinds, a registry, and the data that poller and resolver would have
 * stored. It serves passes over ClusterExtensions and ClusterObjectSets. The clock stands still until it is
 * advanced.
 */
export class ExtensionEnvironment {
  readonly clock = new ManualClock(new Date());
  readonly store = new MemoryProblemStore<ExtensionProblems>();
  readonly shelf = new BundleShelf();
  /** Extensions that the poller was asked to observe again. */
  readonly observed: string[] = [];
  /** Extensions that were enqueued because their bundle has come. */
  readonly woken: string[] = [];
  /** Seconds from the making of each revision to its first completion. */
  readonly rolledOut: number[] = [];
  /** True if solutions from the store may be acted on. */
  admitted = true;
  readonly deps: ExtensionDeps;

  private constructor(private readonly direct: DirectCluster) {
    const { observe } = memoryQueues({ clock: this.clock });
    void observe.process(async (job) => void this.observed.push('extension' in job ? job.extension : ''), {
      concurrency: 1,
    });
    this.deps = {
      store: this.store,
      check: { admit: async () => this.admitted },
      observe,
      pulls: BundlePulls.withoutTurns(this.shelf),
      wake: ({ extension }) => void this.woken.push(extension),
      credentials: async () => ({}),
      log: silentLog,
      onRolledOut: (_cluster, seconds) => void this.rolledOut.push(seconds),
      systemNamespace: SYSTEM_NAMESPACE,
      helmReleaseNamespace: '',
      unpackTimeoutMs: 60_000,
      secretIntervalMs: SECRET_INTERVAL_MS,
    };
  }

  static async start(options: DirectClusterOptions = {}): Promise<ExtensionEnvironment> {
    definitions ??= readDefinitions();
    const kinds = await definitions;
    const direct = directCluster('east', options);
    defineKinds(direct.cluster, kinds);
    const started = new ExtensionEnvironment(direct);
    started.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    for (const kind of [CLUSTER_EXTENSION_API, CLUSTER_OBJECT_SET_API]) await started.served(kind);
    keepKnown(direct.cluster, kinds);
    return started;
  }

  get cluster(): SimulatedCluster {
    return this.direct.cluster;
  }
  get client(): KubeClient {
    return this.direct.client;
  }
  get reads(): ClusterReads {
    return this.direct.client;
  }
  stop(): Promise<void> {
    return this.direct.stop();
  }

  /** Resolves once the cluster serves the kind. */
  async served(kind: Readonly<{ apiVersion: string; kind: string }>): Promise<void> {
    while (!(await this.client.serves(kind))) await pause(0);
  }

  add(...objects: readonly object[]): void {
    for (const object of objects) this.cluster.create(KubernetesObject.parse(object));
  }

  /** Creates the ClusterExtension `gear` of package `gear`. */
  extension(spec: object = {}, metadata: object = {}): ClusterExtension {
    const source = { sourceType: 'Catalog', catalog: { packageName: 'gear' } };
    const whole = { namespace: NAMESPACE, source, ...spec };
    return ClusterExtension.parse(
      this.cluster.create({ ...CLUSTER_EXTENSION_API, metadata: { name: 'gear', ...metadata }, spec: whole }),
    );
  }

  /** Changes the spec of `gear` as a user would, through the API server. */
  async change(spec: Readonly<Record<string, unknown>>, metadata: Readonly<Record<string, unknown>> = {}) {
    await this.client.patch({ ...CLUSTER_EXTENSION_API, name: 'gear' }, { metadata, spec });
  }

  /** Stores the answer to the current demands of `gear`, as poller and resolver do. */
  async answer(solution: ExtensionSolution): Promise<void> {
    const extension = this.live();
    const { installed } = revisionStates(this.revisions());
    const desired = extension && desiredExtension(extension, installed && bundleOf(installed).bundle);
    if (desired === undefined) return;
    const problem = await this.store.putProblem({ v: 1, extension: desired, catalogs: [] }, new Map());
    await this.store.putObservation('east', 'gear', { problem });
    await this.store.putSolution(problem, solution);
  }

  /** As {@link answer}: a bundle of that version, and its manifests in the registry. */
  async offer(version: string, ...manifests: readonly object[]): Promise<void> {
    const image = imageOf(version);
    if (manifests.length > 0) this.shelf.put(image, ...manifests);
    await this.answer(chosen({ name: `gear.v${version}`, version }, image));
  }

  /** Passes until nothing is written any more; the answer is kept up to date in between. */
  async install(version: string, ...manifests: readonly object[]): Promise<PassOutcome> {
    await this.offer(version, ...manifests);
    await this.pass();
    await this.offer(version);
    return this.pass();
  }

  pass(reads: ClusterReads = this.client, client = this.client): Promise<PassOutcome> {
    return reconcileExtension(this.deps, { client, reads, name: 'gear' }, this.clock, new AbortController().signal);
  }

  passOverSet(name: string, client = this.client): Promise<PassOutcome> {
    return reconcileObjectSet(this.deps, { client, reads: client, name }, this.clock, new AbortController().signal);
  }

  /** One round over `gear` as stages get it. */
  async round(reads: ClusterReads = this.client): Promise<ExtensionPass> {
    const { client, deps } = this;
    const reader = new PassReader(reads);
    const read = await readExtension(reader, 'gear', SYSTEM_NAMESPACE);
    if (read === undefined) throw new Error('there is no ClusterExtension gear');
    const [now, signal] = [this.clock.now(), new AbortController().signal];
    return { client, reader, now, signal, patience: new Patience(20), read, deps, writer: client };
  }

  live(): ClusterExtension | undefined {
    return ClusterExtension.safeParse(this.cluster.get({ ...CLUSTER_EXTENSION_API, name: 'gear' })).data;
  }

  /** The conditions of `gear`, each as `status reason: message`, by type. */
  conditions(): Record<string, string> {
    return conditionsOf(this.live() ?? {});
  }

  revisions(extension = 'gear'): ClusterObjectSet[] {
    return this.cluster
      .list(CLUSTER_OBJECT_SET_API)
      .filter(({ metadata }) => metadata.labels?.[OWNER_NAME_LABEL] === extension)
      .map((object) => ClusterObjectSet.parse(object))
      .toSorted((a, b) => a.spec.revision - b.spec.revision);
  }

  /** Each revision of `gear` as `number lifecycleState`. */
  lifecycles(): string[] {
    return this.revisions().map(({ spec }) => `${spec.revision} ${spec.lifecycleState}`);
  }

  setConditions(name: string): Record<string, string> {
    return conditionsOf(ClusterObjectSet.parse(this.cluster.get({ ...CLUSTER_OBJECT_SET_API, name })));
  }

  /** Each Event about a ClusterExtension as `type reason: message`, sorted. */
  events(): string[] {
    const found = this.cluster.list({ apiVersion: 'v1', kind: 'Event' });
    return found
      .filter(({ involvedObject }) => Object(involvedObject).kind === CLUSTER_EXTENSION_API.kind)
      .map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
      .toSorted(byCodeUnit);
  }

  /** Returns the writes since the last call, as `verb resource name`. */
  writes(): string[] {
    const written = this.cluster.requests.writes().map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
    this.cluster.requests.clear();
    return written;
  }
}

/** A ClusterObjectSet as a user writes it, with its objects in place; each phase as its name and objects. */
export const objectSet = (
  name: string,
  phases: readonly (readonly [name: string, ...objects: object[]])[],
  spec: object = {},
  metadata: object = {},
): object => ({
  ...CLUSTER_OBJECT_SET_API,
  metadata: { name, ...metadata },
  spec: {
    lifecycleState: 'Active',
    collisionProtection: 'Prevent',
    revision: 1,
    phases: phases.map(([phase, ...objects]) => ({ name: phase, objects: objects.map((object) => ({ object })) })),
    ...spec,
  },
});

export const imageOf = (version: string): string => `registry.test/gear:${version}`;

export const chosen = (bundle: InstalledBundle, image: string, more: object = {}): ExtensionSolution => ({
  class: 'Resolved',
  bundle,
  image,
  catalog: 'main',
  deprecation: null,
  heldBack: null,
  ...more,
});
