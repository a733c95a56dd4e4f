import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { DesiredClassic } from '#core/rollout/desired/desired-classic';
import { ManualClock } from '#platform/clock/manual-clock';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { fleetDefinitions, serveKinds } from '#testing/cluster/fleet-definitions';
import { carryOutOrders } from '../orders/carry-out-orders.js';
import { orderPlace } from '../orders/place/order-place.fixture.js';
import type { ClassicPreview } from '../previews/classic-preview.js';
import type { PlannedHop } from '../previews/planned-there.js';
import { RolloutController } from './rollout-controller.js';
import type { FleetSource } from './state/fleet-state.js';

const OLM = 'operators.coreos.com/v1alpha1';
/** Passes after which a fleet of these tests must be at rest. */
const MOST_PASSES = 60;
const NAMESPACE = 'kafka-system';
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const OLM_KINDS = {
  Subscription: 'subscriptions',
  InstallPlan: 'installplans',
  ClusterServiceVersion: 'clusterserviceversions',
};

const OLM_DEFINITIONS: readonly KubernetesObject[] = Object.entries(OLM_KINDS).map(([kind, plural]) =>
  KubernetesObject.parse({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.operators.coreos.com` },
    spec: {
      group: 'operators.coreos.com',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: ANYTHING, status: ANYTHING } } },
        },
      ],
    },
  }),
);

/** Definitions that refuse nothing, as those of an earlier release may. */
export async function looseDefinitions(): Promise<readonly KubernetesObject[]> {
  const schema = { openAPIV3Schema: { ...ANYTHING, properties: { spec: ANYTHING, status: ANYTHING } } };
  return (await fleetDefinitions()).map((crd) => {
    const spec = crd['spec'] as { versions: object[] };
    const versions = spec.versions.map((version) => ({ ...version, schema }));
    return KubernetesObject.parse({ ...crd, spec: { ...spec, versions } });
  });
}

/** A simulated API server, with a client of it. */
export type PlayedServer = Pick<DirectCluster, 'cluster' | 'client' | 'stop'>;
/** The API servers of a fleet, and the time of its beginning. Default: this process alone, in 2026. */
export type PlayedFleetOptions = Readonly<{
  open?: (name: string) => PlayedServer;
  start?: string;
  /** Definitions of the hub's kinds. Default: those of this release. */
  definitions?: readonly KubernetesObject[];
}>;

const olm = (kind: keyof typeof OLM_KINDS, name: string, more: object) =>
  ({ apiVersion: OLM, kind, metadata: { name, namespace: NAMESPACE }, ...more }) as KubernetesObject;
const refTo = (kind: string, name: string) => ({ apiVersion: OLM, kind, name, namespace: NAMESPACE });

async function withStatus(client: KubeClient, object: KubernetesObject, status: object): Promise<void> {
  const { object: stored } = await client.create(object);
  await client.updateStatus({ ...stored, status } as KubernetesObject);
}

const RIGHTS = 'get pods';
const roleWith = (rights: string): KubernetesObject => {
  const [verb, resource] = rights.split(' ');
  const rules = [{ apiGroups: [''], resources: [resource], verbs: [verb] }];
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' }, rules };
};

const csvOf = (bundle: string): string =>
  JSON.stringify({
    ...{ apiVersion: OLM, kind: 'ClusterServiceVersion', metadata: { name: bundle } },
    spec: { version: bundle.split('.v')[1] },
  });

/** The plan that OLM makes for a bundle. */
function planOf(bundle: string, rights = RIGHTS): InstallPlan {
  const resource = { sourceName: 'c', sourceNamespace: 'olm', group: 'rbac.authorization.k8s.io', version: 'v1' };
  const manifest = JSON.stringify(roleWith(rights));
  const step = {
    resolving: bundle,
    status: 'Unknown',
    resource: { ...resource, kind: 'ClusterRole', name: 'r', manifest },
  };
  const csv = {
    ...{ sourceName: 'c', sourceNamespace: 'olm', group: 'operators.coreos.com', version: 'v1alpha1' },
    ...{ kind: 'ClusterServiceVersion', name: bundle, manifest: csvOf(bundle) },
  };
  const spec = { approval: 'Manual', approved: false, clusterServiceVersionNames: [bundle] };
  const plan = [step, { resolving: bundle, status: 'Unknown', resource: csv }];
  const status = { phase: 'RequiresApproval', catalogSources: ['c'], plan };
  return InstallPlan.parse({ ...olm('InstallPlan', `install-${bundle}`, { spec }), status });
}

/** A managed cluster that plays OLM: it offers updates, and executes plans once they are approved. */
export class PlayedCluster {
  /** Plans for these bundles fail. */
  readonly failing = new Set<string>();
  /** The version after each version. OLM offers it once the earlier one is installed. */
  readonly #next = new Map<string, string>();
  readonly #withdrawn = new Set<string>();

  constructor(
    readonly name: string,
    readonly direct: PlayedServer,
  ) {}

  get client(): KubeClient {
    return this.direct.client;
  }

  async install(bundle: string): Promise<void> {
    await this.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await this.client.create(roleWith(RIGHTS));
    const spec = { name: 'kafka-operator', source: 'c', sourceNamespace: 'olm', installPlanApproval: 'Manual' };
    const status = { installedCSV: bundle, currentCSV: bundle, state: 'AtLatestKnown' };
    await withStatus(this.client, olm('Subscription', 'kafka', { spec }), status);
    await withStatus(this.client, olm('ClusterServiceVersion', bundle, { spec: {} }), { phase: 'Succeeded' });
  }

  async #status(change: object): Promise<void> {
    await this.client.patch(refTo('Subscription', 'kafka'), { status: change }, { subresource: 'status' });
  }

  /** OLM finds an update and makes a plan that waits for approval. `rights`: verb and resource. */
  async offer(bundle: string, rights = RIGHTS): Promise<void> {
    const plan = planOf(bundle, rights);
    // One that was made for it before, and carried out, stays in reality; its content is the same.
    if ((await this.planOf(bundle)) !== undefined) await this.client.delete(refTo('InstallPlan', `install-${bundle}`));
    await withStatus(this.client, plan as KubernetesObject, plan.status ?? {});
    await this.#status({
      currentCSV: bundle,
      state: 'UpgradePending',
      installPlanRef: { name: plan.metadata.name },
    });
  }

  /** The catalog has a path: each of these bundles is offered once the one before is installed. */
  async offerPath(...bundles: readonly string[]): Promise<void> {
    let before = await this.installed();
    for (const bundle of bundles) {
      this.#next.set(String(before), bundle);
      before = bundle;
    }
    await this.#offerNext();
  }

  /** The catalog gets one more version, after the last of its path. */
  async publish(after: string, bundle: string): Promise<void> {
    this.#next.set(after, bundle);
    if ((await this.installed()) === after) await this.offer(bundle);
  }

  /** The catalog removes versions, and leads to another one if it is given. Plans for them stay. */
  withdraw(bundles: readonly string[], instead?: Readonly<{ after: string; to: string }>): void {
    for (const bundle of bundles) this.#withdrawn.add(bundle);
    if (instead !== undefined) this.#next.set(instead.after, instead.to);
  }

  async #offerNext(): Promise<void> {
    const next = this.#next.get(String(await this.installed()));
    if (next !== undefined) await this.offer(next);
  }

  #following(bundle: string): string[] {
    const next = this.#next.get(bundle);
    return next === undefined ? [] : [next, ...this.#following(next)];
  }

  /**
   * Keeps the content of the installed version as if a plan had brought it: the cluster can roll back to it.
   */
  async keepContent(): Promise<void> {
    const plan = planOf(String(await this.installed()));
    const made = { ...plan, spec: { ...plan.spec, approved: true } };
    await withStatus(this.client, made as KubernetesObject, { ...plan.status, phase: 'Complete' });
  }

  /** Returns the plan to install from here: the plan that waits, and the plans after it. */
  readonly preview = async (desired: DesiredClassic): Promise<ClassicPreview> => {
    const { status } = ((await this.client.get(refTo('Subscription', 'kafka'))) ?? {}) as {
      status?: { installedCSV?: string; currentCSV?: string };
    };
    const { installedCSV, currentCSV } = status ?? {};
    const isPlanned = currentCSV !== undefined && currentCSV !== installedCSV && !this.#withdrawn.has(currentCSV);
    const planned = isPlanned ? [currentCSV, ...this.#following(currentCSV)] : this.#following(String(installedCSV));
    const gone = planned.findIndex((one) => this.#withdrawn.has(one));
    const all = gone === -1 ? planned : planned.slice(0, gone);
    const hops = all.map((to, at): PlannedHop => {
      const from = at === 0 ? installedCSV : all[at - 1];
      return { plan: planOf(to), moves: [{ subscription: 'kafka', from: from ?? null, to }], from, to };
    });
    const [first, ...further] = hops;
    return first === undefined ? { nothing: 'nothing moves' } : { hops: [first, ...further], desired };
  };

  /** Executes approved plans, as OLM does. */
  async play(): Promise<void> {
    const { spec, status } = ((await this.client.get(refTo('Subscription', 'kafka'))) ?? {}) as {
      spec?: { startingCSV?: string };
      status?: Record<string, unknown>;
    };
    // The Subscription was recreated, to begin with an earlier version.
    if (status === undefined && spec?.startingCSV !== undefined) return this.offer(spec.startingCSV);
    const reference = (status?.['installPlanRef'] as { name?: string } | undefined)?.name;
    const bundle = String(status?.['currentCSV']);
    if (reference === undefined || status?.['installedCSV'] === bundle) return;
    const plan = (await this.client.get(refTo('InstallPlan', reference))) as
      | { spec?: { approved?: boolean }; status?: { phase?: string } }
      | undefined;
    // After a rolled back plan, the cluster plans the version that the catalog leads to now.
    if (plan === undefined && this.#withdrawn.has(bundle)) return this.#offerNext();
    if (plan?.spec?.approved !== true || plan.status?.phase === 'Failed') return;
    if (this.failing.has(bundle)) {
      const status = { phase: 'Failed', message: 'ImagePullBackOff' };
      await this.client.patch(refTo('InstallPlan', reference), { status }, { subresource: 'status' });
      return;
    }
    await withStatus(this.client, olm('ClusterServiceVersion', bundle, { spec: {} }), { phase: 'Succeeded' });
    const replaced = status?.['installedCSV'];
    if (replaced !== undefined) await this.client.delete(refTo('ClusterServiceVersion', String(replaced)));
    const done = { status: { phase: 'Complete' } };
    await this.client.patch(refTo('InstallPlan', reference), done, { subresource: 'status' });
    await this.#status({ installedCSV: bundle, state: 'AtLatestKnown' });
    await this.#offerNext();
  }

  /** A user of the cluster approves an update there. */
  async upgradeByHand(bundle: string): Promise<void> {
    await this.offer(bundle);
    await this.client.patch(refTo('InstallPlan', `install-${bundle}`), { spec: { approved: true } });
    await this.play();
  }

  async installed(): Promise<unknown> {
    const { status } = ((await this.client.get(refTo('Subscription', 'kafka'))) ?? {}) as {
      status?: Record<string, unknown>;
    };
    return status?.['installedCSV'];
  }

  /** Annotations that approvals have left on a plan. */
  async planOf(bundle: string): Promise<KubernetesObject | undefined> {
    return this.client.get(refTo('InstallPlan', `install-${bundle}`));
  }
}

/** Reads each kind as from a cache that has seen everything: most passes of a test change nothing. */
const storedIn =
  (cluster: PlayedServer['cluster']): FleetSource =>
  async (kind) =>
    cluster.list({ apiVersion: FLEET_API, kind }).map((object) => ({
      metadata: object.metadata,
      open: () => structuredClone(object) as KubernetesObject,
    }));

/** A hub API with the fleet's definitions, its controller, and managed clusters. */
export class PlayedFleet {
  readonly clock: ManualClock;
  readonly clusters: PlayedCluster[] = [];
  controller: RolloutController;

  private constructor(
    readonly hub: PlayedServer,
    start: string,
  ) {
    this.clock = new ManualClock(start);
    this.controller = new RolloutController(hub.client, this.clock, silentLog, storedIn(hub.cluster));
  }

  static async begin(
    names: readonly string[],
    labelsOf: (name: string) => Record<string, string>,
    { open = directCluster, start = '2026-01-05T00:00:00Z', definitions }: PlayedFleetOptions = {},
  ): Promise<PlayedFleet> {
    const fleet = new PlayedFleet(open('hub'), start);
    await serveKinds(fleet.hub, definitions ?? (await fleetDefinitions()));
    await fleet.hub.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'platform' } });
    for (const name of names) {
      const cluster = new PlayedCluster(name, open(name));
      await serveKinds(cluster.direct, OLM_DEFINITIONS);
      await cluster.install('kafka-operator.v2.3.0');
      fleet.clusters.push(cluster);
      const { object } = await fleet.hub.client.create(
        fleetObject('FleetCluster', name, { access: { context: name } }, labelsOf(name)),
      );
      const conditions = [{ type: 'Reachable', status: 'True', lastTransitionTime: start }];
      await fleet.hub.client.updateStatus({ ...object, status: { uid: name, conditions } } as KubernetesObject);
    }
    return fleet;
  }

  async apply(kind: string, name: string, spec: object): Promise<void> {
    await this.hub.client.create(fleetObject(kind, name, spec));
  }

  cluster(name: string): PlayedCluster {
    const found = this.clusters.find((one) => one.name === name);
    if (found === undefined) throw new RangeError(`there is no cluster ${name}`);
    return found;
  }

  /** The controller, the appliers and OLM work until nothing changes; `after` is called after each pass. */
  async settle(after: () => void | Promise<void> = () => undefined): Promise<void> {
    for (let passes = 0, isQuiet = false; !isQuiet; passes++) {
      if (passes > MOST_PASSES) throw new Error('the fleet does not come to rest');
      for (const { cluster } of this.#all) cluster.requests.clear();
      await this.controller.pass();
      await after();
      for (const { client, preview } of this.clusters) {
        await carryOutOrders(orderPlace({ ...this.place, client, preview }));
      }
      for (const cluster of this.clusters) await cluster.play();
      isQuiet = this.#all.every(({ cluster }) => cluster.requests.writes().length === 0);
    }
  }

  /** The hub of every applier, and the time. */
  get place() {
    return { hub: this.hub.client, globalCatalogNamespace: 'olm', clock: this.clock };
  }

  get #all(): readonly PlayedServer[] {
    return [this.hub, ...this.clusters.map(({ direct }) => direct)];
  }

  async rollout(name: string): Promise<{ phase?: string; reason?: string; classes?: { hash: string }[] }> {
    const found = await this.hub.client.get({
      apiVersion: FLEET_API,
      kind: 'FleetRollout',
      name,
      namespace: 'platform',
    });
    return (found as { status?: object } | undefined)?.status ?? {};
  }

  async stop(): Promise<void> {
    for (const { direct } of this.clusters) await direct.stop();
    await this.hub.stop();
  }
}

const NO_NAMESPACE = new Set(['FleetCluster', 'FleetWindow']);
const fleetObject = (kind: string, name: string, spec: object, labels: Record<string, string> = {}): KubernetesObject =>
  ({
    apiVersion: FLEET_API,
    kind,
    metadata: { name, labels, ...(NO_NAMESPACE.has(kind) ? {} : { namespace: 'platform' }) },
    spec,
  }) as KubernetesObject;
