import type { BundleFile } from '#core/catalog/model/bundle-file';
import { stepOf } from '#core/classic/install-plan/steps/install-plan-step';
import type { InstallPlan, InstallPlanStep } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Digest } from '#platform/content/content-store.port';
import { digestOf } from '#platform/content/digest';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { HubKey } from '#platform/keys/hub-key';
import { memoryQueues } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { parseImageReference } from '#platform/registry/client/image-reference';
import {
  type PulledImage,
  type PullOptions,
  RegistryClient,
  RegistryError,
  type UnpackedImage,
} from '#platform/registry/client/registry-client.port';
import type { Log } from '#platform/telemetry/log.port';
import { BundleContents } from '../bundles/bundle-contents.js';
import { OfferedBundles } from '../bundles/offered-bundles.js';
import { type ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';
import type { HashedProblem } from '../namespaces/observed-problems.js';
import { type InstallPlanSettings, installPlanStage } from './install-plan.stage.js';
import { PlanMarks } from './plan-marks.js';

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Bundle images in memory. An image that is held is pulled once it is released. */
export class BundleRegistry extends RegistryClient {
  readonly #images = new Map<string, readonly BundleFile[]>();
  readonly #held = new Map<string, Promise<void>>();
  readonly #labels = new Map<string, Readonly<Record<string, string>>>();
  readonly #failures = new Map<string, RegistryError>();
  /** References that were pulled, with the hosts of the logins that were given. */
  readonly pulled: string[] = [];

  put(image: string, objects: readonly KubernetesObject[], labels: Readonly<Record<string, string>> = {}): Digest {
    this.#labels.set(image, labels);
    const files = objects.map((object, at) => ({ path: `manifests/${at}.json`, bytes: bytesOf(object) }));
    const annotations = {
      'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
      'operators.operatorframework.io.bundle.package.v1': 'lamp',
    };
    this.#images.set(image, [...files, { path: 'metadata/annotations.yaml', bytes: bytesOf({ annotations }) }]);
    const digest = digestOf(bytesOf(objects));
    this.#images.set(`${image.replace(/:[^:/]*$/, '')}@${digest}`, this.#images.get(image) ?? []);
    return digest;
  }

  /** Holds pulls of the image until the returned function is called. */
  hold(image: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(image, promise);
    return resolve;
  }

  /** All pulls of the image fail with this. */
  fail(image: string, failure: RegistryError): void {
    this.#failures.set(image, failure);
  }

  override access(reference: string, { credentials = {} }: PullOptions = {}): string {
    return `${reference} ${Object.keys(credentials).join(' ')}`;
  }

  override async resolve(reference: string): Promise<Digest> {
    return (await this.pull(reference)).digest;
  }

  override async pull(
    reference: string,
    _keep?: unknown,
    { credentials = {} }: PullOptions = {},
  ): Promise<PulledImage> {
    this.pulled.push([reference, ...Object.keys(credentials)].join(' '));
    parseImageReference(reference);
    await this.#held.get(reference);
    const failure = this.#failures.get(reference);
    if (failure !== undefined) throw failure;
    const files = this.#images.get(reference);
    if (files === undefined) throw new RegistryError('NotFound', reference, `image ${reference} is not there`);
    const manifests = files.filter(({ path }) => path.startsWith('manifests/'));
    const digest = digestOf(bytesOf(manifests.map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)))));
    return { digest, resolved: digest, labels: this.#labels.get(reference) ?? {}, files };
  }

  override pullTo(): Promise<UnpackedImage> {
    throw new Error('bundles are pulled into memory');
  }
}

/** The offer of a visible catalog to a namespace. Nothing unless a test says so. */
type Offer = Readonly<{ namespace: string; source: { image: string } | { inline: string } }>;

export type PlanParts = Readonly<{
  setting?: InstallPlanSettings['foreign']['setting'];
  retryTimeoutMs?: number;
  unpackTimeoutMs?: number;
  offers?: readonly Offer[];
  /** Without marks no plan is the hub's own. */
  unmarked?: true;
}>;

/** The stage of InstallPlans with everything that it needs in memory. */
export class PlanBench {
  readonly registry = new BundleRegistry();
  readonly content = new MemoryContentStore();
  readonly marks = new PlanMarks(HubKey.random());
  readonly logged: string[] = [];
  readonly warned: string[] = [];
  readonly apply = memoryQueues().apply;
  readonly log: Log = {
    debug: () => undefined,
    info: ({ name, from, phase }) => void this.logged.push(`${name} ${from}→${phase}`),
    warn: ({ name, message }, text) => void this.logged.push(`${text}: ${name}: ${message}`),
    error: () => undefined,
  };
  readonly contents = new BundleContents(BundlePulls.withoutTurns(this.registry), this.content, this.apply, this.log);

  stage(parts: PlanParts = {}) {
    const { setting = 'accept', retryTimeoutMs = 60_000, unpackTimeoutMs = 600_000, offers = [] } = parts;
    return installPlanStage({
      retryTimeoutMs,
      contents: this.contents,
      unpackTimeoutMs,
      foreign: { setting, marks: parts.unmarked ? undefined : this.marks },
      offered: new OfferedBundles(catalogOf(offers)),
      log: this.log,
      metrics: { installPlanWarnings: (cluster, count) => void this.warned.push(`${cluster} ${count}`) },
    });
  }

  /** Puts the plan as one that the hub made. */
  own(at: ClassicCluster, plan: KubernetesObject): KubernetesObject {
    const { cluster } = at.client;
    const mark = this.marks.markOf(cluster, plan as InstallPlan, (plan as InstallPlan).status);
    const annotations = { ...plan.metadata.annotations, 'flotilla.dev/made-by-hub': mark };
    return at.put({ ...plan, metadata: { ...plan.metadata, annotations } });
  }
}

/** A catalog olm/shelf that offers one package for each offer. */
function catalogOf(offers: readonly Offer[]) {
  const entry = (source: Offer['source']) => ({
    name: 'lamp.v1',
    channel: 'stable',
    version: '1.0.0',
    replaces: '',
    skips: [],
    skipRange: '',
    properties: [],
    source,
  });
  return {
    find: async (_cluster: string, namespace: string) => {
      const packages = offers.flatMap((offer, at) =>
        offer.namespace === namespace ? [{ name: `p${at}`, record: String(at) }] : [],
      );
      const catalogs = [{ key: { name: 'shelf', namespace: 'olm' }, priority: 0, empty: false, packages }];
      return { hash: 'h', problem: { v: 1, wishes: {}, catalogs } } as unknown as HashedProblem;
    },
    record: async (hash: string) => {
      const offer = offers[Number(hash)];
      return offer && { name: `p${hash}`, defaultChannel: 'stable', entries: [entry(offer.source)] };
    },
  };
}

const ORIGIN = { resolving: 'lamp.v1', sourceName: 'shelf', sourceNamespace: 'olm' };
export const step = (object: KubernetesObject, status = 'Unknown'): InstallPlanStep => ({
  ...stepOf(object, ORIGIN),
  status,
});

type Plan = Readonly<{
  name?: string;
  steps?: readonly InstallPlanStep[];
  approval?: 'Automatic' | 'Manual';
  approved?: boolean;
  generation?: number;
  csvs?: readonly string[];
  metadata?: KubernetesObject['metadata'];
  /** Beside the steps; phase Installing unless it says so. */
  status?: Readonly<Record<string, unknown>>;
}>;

/** The plan `install-1` of namespace `shop`, approved and to be executed. */
export function planOf({
  name = 'install-1',
  steps = [],
  status = {},
  metadata = {},
  ...spec
}: Plan): KubernetesObject {
  const { approval = 'Automatic', approved = true, generation = 1, csvs = ['lamp.v1'] } = spec;
  return objectOf('InstallPlan', name, 'shop', {
    metadata,
    spec: { approval, approved, generation, clusterServiceVersionNames: csvs },
    status: { phase: 'Installing', catalogSources: ['shelf'], plan: steps, ...status },
  });
}

export const PLAN = refTo('InstallPlan', 'install-1', 'shop');

/** `Kind name: status` of each step. */
export const stepsOf = (at: ClassicCluster): readonly string[] =>
  ((at.status(PLAN)['plan'] ?? []) as readonly InstallPlanStep[]).map(
    ({ status, resource }) => `${resource.kind} ${resource.name}: ${status}`,
  );

/** `Phase: message` of the plan. */
export const phaseOf = (at: ClassicCluster): string =>
  [at.status(PLAN)['phase'], at.status(PLAN)['message']].filter((part) => part !== undefined).join(': ');

type Version = Readonly<{ name: string; served?: boolean; storage?: boolean; properties?: object }>;

/**
 * Returns the CRD lamps.example.com with these versions. Objects keep fields that the schema does not name.
 */
export function crdWith(versions: readonly Version[]): KubernetesObject {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return objectOf('CustomResourceDefinition', 'lamps.example.com', undefined, {
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Lamp', plural: 'lamps', singular: 'lamp', listKind: 'LampList' },
      versions: versions.map(({ name, served = true, storage = false, properties = {} }) => ({
        ...{ name, served, storage },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { ...open, properties } } } },
      })),
    },
  });
}
