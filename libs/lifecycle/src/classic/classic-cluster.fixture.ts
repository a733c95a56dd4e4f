import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { APPLIER } from '#core/kernel/actions/field-managers';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { KubernetesObject, type ObjectRef, refOf } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import { Patience } from '#platform/fairness/patience';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { selects } from '#platform/kube/cache/selects';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';
import { BareCluster } from '#testing/cluster/bare-cluster';
import { directClient } from '#testing/cluster/direct-client';
import { defineKinds, keepKnown } from '#testing/cluster/known-definitions';
import type { RecordedRequest } from '#testing/cluster/server/request-log';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { CACHED_KINDS } from '../engine/caches/cached-kinds.js';
import { type ClusterReads, PassReader } from '../engine/passes/pass-reader.js';
import type { PassOutcome } from '../engine/passes/reconcile-loop.js';
import type { StageOutcome } from '../engine/passes/stage.js';
import { readNamespace } from './namespaces/namespace-read.js';
import type { NamespaceStage, NamespaceStageInput } from './namespaces/namespace-stage.js';
import { reconcileNamespace } from './namespaces/reconcile-namespace.js';

const V1 = 'operators.coreos.com/v1';
const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const RBAC = 'rbac.authorization.k8s.io/v1';
/** apiVersions of the kinds that tests name in short. */
const API_VERSIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['OperatorGroup', 'OLMConfig', 'Operator'].map((kind) => [kind, V1])),
  ...Object.fromEntries(
    ['ClusterServiceVersion', 'Subscription', 'InstallPlan', 'CatalogSource'].map((kind) => [kind, V1ALPHA1]),
  ),
  ...Object.fromEntries(['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => [kind, RBAC])),
  OperatorCondition: 'operators.coreos.com/v2',
  Deployment: 'apps/v1',
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
};
/**
 * OLM's kinds, each with the field that holds parts of Pods. The schema of that field is most of the
 * definition.
 */
const OLM_KINDS: readonly (readonly [kind: string, pods?: string])[] = [
  ['catalogsources', 'grpcPodConfig'],
  ['clusterserviceversions', 'deployments'],
  ['installplans'],
  ['olmconfigs'],
  ['operatorconditions'],
  ['operatorgroups'],
  ['operators'],
  ['subscriptions', 'config'],
];
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The namespace of the global catalogs. */
export const GLOBAL = 'olm';

/** `Deployment`, `shop`, `web`: the reference of an object of a kind that these tests know. */
export const refTo = (kind: string, name: string, namespace?: string): ObjectRef => ({
  apiVersion: API_VERSIONS[kind] ?? 'v1',
  kind,
  name,
  namespace,
});

/** Fields of an object, without those that name it. */
type Fields = Readonly<{ metadata?: KubernetesObject['metadata'] } & Record<string, unknown>>;

export const objectOf = (kind: string, name: string, namespace?: string, fields: Fields = {}): KubernetesObject => ({
  apiVersion: API_VERSIONS[kind] ?? 'v1',
  kind,
  ...fields,
  metadata: { ...fields.metadata, name, ...(namespace === undefined ? {} : { namespace }) },
});

let definitions: Promise<readonly KubernetesObject[]> | undefined;

/** OLM's definitions without descriptions and schemas of Pods, so that a cluster is made in milliseconds. */
function olmDefinitions(): Promise<readonly KubernetesObject[]> {
  definitions ??= Promise.all(
    OLM_KINDS.map(async ([kind, pods]) => {
      const text = await readFile(join(PROJECT_ROOT, `k8s/crds/operators.coreos.com_${kind}.yaml`), 'utf8');
      const short = (key: string, value: unknown) => {
        if (key === 'description' && typeof value === 'string') return undefined;
        if (key !== pods) return value;
        return key === 'deployments' ? { type: 'array', items: ANYTHING } : ANYTHING;
      };
      return KubernetesObject.parse(JSON.parse(JSON.stringify(load(text), short)));
    }),
  );
  return definitions;
}

type PassOptions = Readonly<{ waitsMs?: number; reads?: ClusterReads; signal?: AbortSignal }>;

/**
 * A simulated cluster with OLM's kinds, and passes over its namespaces by the applier's own code. Requests
 * are function calls, so a pass takes milliseconds.
 */
export class ClassicCluster {
  readonly cluster: SimulatedCluster;
  readonly client: KubeClient;
  /** The time that passes have; it stands still until a test moves it. */
  readonly clock = new ManualClock('2026-01-01T00:00:00Z');
  /** While true, no request reaches the API server. */
  readonly cutOff: (isAway: boolean) => void;
  readonly #bare: BareCluster;

  private constructor(bare: BareCluster) {
    this.#bare = bare;
    this.cluster = bare.cluster;
    const { client, cutOff } = directClient(bare.cluster, APPLIER);
    this.client = client;
    this.cutOff = cutOff;
  }

  static async start(): Promise<ClassicCluster> {
    const bare = new BareCluster({ deploymentReadyAfterMs: 0 });
    const kinds = await olmDefinitions();
    defineKinds(bare.cluster, kinds);
    await settled();
    keepKnown(bare.cluster, kinds);
    const made = new ClassicCluster(bare);
    made.cluster.create(objectOf('Namespace', GLOBAL));
    return made;
  }

  stop(): void {
    this.#bare.stop();
  }

  /** Creates the object with its status. */
  put(object: KubernetesObject): KubernetesObject {
    const made = this.cluster.create(object);
    const status = object['status'];
    if (status === undefined || made['status'] !== undefined) return made;
    return this.cluster.edit(refOf(object), (live) => Object.assign(live, { status }), 'status');
  }

  /** Creates a Namespace with one OperatorGroup, `<name>-group`, with a status as a pass has written it. */
  namespace(name: string, spec: Fields = { targetNamespaces: [name] }, targets?: readonly string[]): void {
    this.cluster.create(objectOf('Namespace', name));
    const namespaces = targets ?? (spec['targetNamespaces'] as readonly string[] | undefined) ?? [''];
    const status = { namespaces, lastUpdated: '2026-01-01T00:00:00Z' };
    this.put(objectOf('OperatorGroup', `${name}-group`, name, { spec, status }));
  }

  get<T = KubernetesObject>(ref: ObjectRef): T | undefined {
    return this.cluster.get(ref) as T | undefined;
  }

  status(ref: ObjectRef): Record<string, unknown> {
    return (this.cluster.get(ref)?.['status'] ?? {}) as Record<string, unknown>;
  }

  /** `Type=Status Reason: message` of each condition. */
  conditions(ref: ObjectRef): readonly string[] {
    const conditions = (this.status(ref)['conditions'] ?? []) as readonly Record<string, string>[];
    return conditions.map(({ type, status, reason = '', message = '' }) =>
      `${type}=${status} ${reason}: ${message}`.replace(/: $/, ''),
    );
  }

  /** Returns the names of all objects of a kind, with the namespace if there is one. */
  names(kind: string, namespace?: string): readonly string[] {
    const { apiVersion } = refTo(kind, '');
    const found = this.cluster.list({ apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) });
    return found
      .map(({ metadata }) =>
        metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`,
      )
      .sort();
  }

  /** `Type Reason Kind/name: message` of each Event in the namespace; that of a Namespace is in `default`. */
  events(namespace: string): readonly string[] {
    return this.cluster.list({ ...refTo('Event', ''), namespace }).map((event) => {
      const about = event['involvedObject'] as ObjectRef;
      return `${event['type']} ${event['reason']} ${about.kind}/${about.name}: ${event['message']}`;
    });
  }

  csv(namespace: string, name: string): ClusterServiceVersion | undefined {
    return this.get<ClusterServiceVersion>(refTo('ClusterServiceVersion', name, namespace));
  }

  /** Returns the changes that passes requested since the last call: `verb resource/subresource name`. */
  writes(): readonly string[] {
    const writes = this.cluster.requests.writes().map(textOf);
    this.cluster.requests.clear();
    return writes;
  }

  /** The requests of the passes since the last question, reads included. */
  asked(): readonly RecordedRequest[] {
    return this.cluster.requests.splice(0);
  }

  /** One pass of the stages over a namespace, reading from the API server unless `reads` is given. */
  pass(namespace: string, stages: readonly NamespaceStage[], options: PassOptions = {}): Promise<PassOutcome> {
    const { client, clock } = this;
    const { reads = client, waitsMs, signal = new AbortController().signal } = options;
    const place = { client, reads, namespace, globalCatalogNamespace: GLOBAL };
    return reconcileNamespace(place, stages, clock, signal, new Patience(waitsMs));
  }

  /** Returns the input of one stage at the beginning of a pass. */
  async input(namespace: string, reads: ClusterReads = this.client): Promise<NamespaceStageInput> {
    const reader = new PassReader(reads);
    const read = await readNamespace(reader, namespace, GLOBAL);
    const { signal } = new AbortController();
    return { client: this.client, reader, read, now: this.clock.now(), signal, patience: new Patience() };
  }

  /** Runs one stage once, as the first round of a pass does. */
  async once(namespace: string, stage: NamespaceStage, reads?: ClusterReads): Promise<StageOutcome> {
    return stage(await this.input(namespace, reads));
  }

  /** Reads from a cache that knows the cluster as it is now, and from then on the pass's own writes alone. */
  laggingReads(): ClusterReads {
    const held = new Map<string, KubernetesObject>();
    const keyOf = ({ apiVersion, kind, namespace = '', name }: ObjectRef) =>
      [apiVersion, kind, namespace, name].join(' ');
    const kinds = CACHED_KINDS.filter((kind) => kind.labelSelector === undefined && kind.apiVersion !== OLM_V1);
    const isCached = (of: KindRef) => kinds.some((one) => one.kind === of.kind && one.apiVersion === of.apiVersion);
    for (const kind of kinds) {
      for (const object of this.cluster.list(kind)) held.set(keyOf(refOf(object)), object);
    }
    const { client } = this;
    return {
      get: (ref) => client.get(ref),
      list: (kind, options) => client.list(kind, options),
      serverVersion: () => client.serverVersion(),
      cache: {
        get: (ref) => (isCached(ref) ? { found: held.get(keyOf(ref)) } : undefined),
        list: (kind, options) => {
          const selected = selects(options);
          if (!isCached(kind) || selected === undefined) return undefined;
          return [...held.values()].filter((one) => one.kind === kind.kind && selected(one));
        },
        noteWritten: (object) => void held.set(keyOf(refOf(object)), object),
        noteDeleted: (ref) => void held.delete(keyOf(ref)),
      },
    };
  }
}

const OLM_V1 = 'olm.operatorframework.io/v1';

function textOf({ verb, resource, subresource, namespace, name, path }: RecordedRequest): string {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = [namespace, name].filter((part) => part !== undefined).join('/');
  return `${verb} ${what ?? path} ${where}`.trim();
}

/** Steps that controllers of the simulated cluster take one after the other. */
const CONTROLLER_STEPS = 4;

/** Resolves when the controllers of the simulated cluster have done all due work. They rest during a pass. */
export async function settled(): Promise<void> {
  for (let step = 0; step < CONTROLLER_STEPS; step += 1) await new Promise((resolve) => setTimeout(resolve, 0));
}
