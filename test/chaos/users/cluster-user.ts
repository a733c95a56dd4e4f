import type { ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { ApiObject } from '#testing/cluster/objects/api-object';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { crdOf, csvOf, DEPENDENCY, deploymentOf, OPERATORS } from '../hub/chaos-operators.js';
import type { PlannedChange } from '../plan/plan-changes.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const CSV = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion' };
const PLAN = { apiVersion: V1ALPHA1, kind: 'InstallPlan' };
const SUBSCRIPTION = { apiVersion: V1ALPHA1, kind: 'Subscription', name: 'chosen' };
const CATALOG = { apiVersion: V1ALPHA1, kind: 'CatalogSource', name: 'shelf', namespace: 'olm' };
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' };
const POLL_EVERY = '2s';
const SETTING = 'CHAOS_SETTING';

type Wanted = Readonly<{ manual: boolean; setting: string }>;

/**
 * The user of one cluster. Holds its desired state and restores it after every event, as people do who keep
 * it in Git. Asks and writes past the cluster's network.
 */
export class ClusterUser {
  readonly #wanted = new Map<string, Wanted>();
  /** Deployments that were deleted, by their uid, until another one is there. */
  readonly #damaged = new Map<string, string>();
  #polling = true;
  #changes = 0;

  constructor(
    readonly cluster: SimulatedCluster,
    private readonly image: string,
  ) {}

  change({ operator, kind, manual }: PlannedChange): void {
    const wanted = this.#wanted.get(operator);
    this.#changes += 1;
    if (kind === 'subscribe') this.#wanted.set(operator, { manual, setting: '' });
    if (kind === 'configure' && wanted !== undefined)
      this.#wanted.set(operator, { ...wanted, setting: `change-${this.#changes}` });
    if (kind === 'remove') {
      this.#wanted.delete(operator);
      this.#damaged.delete(operator);
    }
    if (kind === 'damage') this.#damage(operator);
    this.tick();
  }

  /** At rest a catalog that is polled is written to at each poll. */
  stopPolling(): void {
    this.#polling = false;
    this.tick();
  }

  /** Makes the cluster have the desired state, as far as its user does so. */
  tick(): void {
    this.#ensure({ ...NAMESPACE, metadata: { name: CATALOG.namespace } });
    this.#ensureCatalog();
    for (const operator of OPERATORS) {
      const wanted = this.#wanted.get(operator);
      if (wanted === undefined) this.#remove(operator);
      else this.#subscribe(operator, wanted);
    }
    this.#damageAgain();
  }

  /**
   * Describes everything that differs from the desired state, for people. `edition`: the version that all
   * operators must have; undefined: any.
   */
  pending(edition: number | undefined): readonly string[] {
    return OPERATORS.flatMap((operator) => {
      const wanted = this.#wanted.get(operator);
      const missing = wanted === undefined ? this.#leftOf(operator) : this.#missing(operator, wanted, edition);
      return missing.map((text) => `${this.cluster.name} ${operator}: ${text}`);
    });
  }

  #missing(operator: string, { setting }: Wanted, edition: number | undefined): readonly string[] {
    const csvs = this.#listed({ ...CSV, namespace: operator })
      .filter(({ metadata }) => metadata.name.startsWith(`${operator}.`))
      .map(({ metadata, status }) => `${metadata.name} ${Object(status).phase}`);
    const [only = ''] = csvs;
    const wanted = edition === undefined ? /^\S+ Succeeded$/ : new RegExp(`^${csvOf(operator, edition)} Succeeded$`);
    if (csvs.length !== 1 || !wanted.test(only)) return [`CSVs: ${csvs.join(', ') || 'none'}`];
    const deployment = this.cluster.get({ ...DEPLOYMENT, namespace: operator, name: deploymentOf(operator) });
    if (deployment === undefined || deployment.metadata.uid === this.#damaged.get(operator)) return ['no Deployment'];
    const text = JSON.stringify(deployment['spec']);
    return setting !== '' && !text.includes(`"${setting}"`) ? ['Deployment without its setting'] : [];
  }

  #leftOf(operator: string): readonly string[] {
    return [
      ...(this.cluster.get({ ...NAMESPACE, name: operator }) === undefined ? [] : ['Namespace is still there']),
      ...crdsOf(operator).flatMap((name) => (this.cluster.get({ ...CRD, name }) ? [`CRD ${name} is still there`] : [])),
    ];
  }

  #ensureCatalog(): void {
    const spec = {
      sourceType: 'grpc',
      image: this.image,
      ...(this.#polling ? { updateStrategy: { registryPoll: { interval: POLL_EVERY } } } : {}),
    };
    const { apiVersion, kind, name, namespace } = CATALOG;
    const live = this.#ensure({ apiVersion, kind, metadata: { name, namespace }, spec });
    if (live !== undefined && 'updateStrategy' in Object(live['spec']) !== this.#polling)
      this.cluster.edit(CATALOG, (edited) => Object.assign(edited, { spec }));
  }

  #subscribe(operator: string, { manual, setting }: Wanted): void {
    const namespace = this.#ensure({ ...NAMESPACE, metadata: { name: operator } });
    if (namespace?.metadata.deletionTimestamp !== undefined) return;
    const place = { namespace: operator };
    this.#ensure({
      apiVersion: 'operators.coreos.com/v1',
      kind: 'OperatorGroup',
      metadata: { name: 'own', ...place },
      spec: { targetNamespaces: [operator] },
    });
    const spec = {
      name: operator,
      channel: 'stable',
      source: CATALOG.name,
      sourceNamespace: CATALOG.namespace,
      startingCSV: csvOf(operator, 1),
      installPlanApproval: manual ? 'Manual' : 'Automatic',
      ...(setting === '' ? {} : { config: { env: [{ name: SETTING, value: setting }] } }),
    };
    const { apiVersion, kind, name } = SUBSCRIPTION;
    const live = this.#ensure({ apiVersion, kind, metadata: { name, ...place }, spec });
    if (live !== undefined && JSON.stringify(live['spec']) !== JSON.stringify(spec))
      this.cluster.edit({ ...SUBSCRIPTION, ...place }, (edited) => Object.assign(edited, { spec }));
    if (manual) this.#approve(operator);
  }

  #approve(namespace: string): void {
    for (const { metadata, spec, status } of this.#listed({ ...PLAN, namespace })) {
      if (Object(status).phase !== 'RequiresApproval' || Object(spec).approved === true) continue;
      this.cluster.edit({ ...PLAN, namespace, name: metadata.name }, (edited) =>
        Object.assign(edited, { spec: { ...Object(edited['spec']), approved: true } }),
      );
    }
  }

  #remove(operator: string): void {
    const namespace = this.cluster.get({ ...NAMESPACE, name: operator });
    if (namespace !== undefined && namespace.metadata.deletionTimestamp === undefined) {
      this.#delete({ ...SUBSCRIPTION, namespace: operator });
      for (const { metadata } of this.#listed({ ...CSV, namespace: operator }))
        this.#delete({ ...CSV, namespace: operator, name: metadata.name });
      this.#delete({ ...NAMESPACE, name: operator });
    }
    if (namespace === undefined) for (const name of crdsOf(operator)) this.#delete({ ...CRD, name });
  }

  #damage(operator: string): void {
    const ref = { ...DEPLOYMENT, namespace: operator, name: deploymentOf(operator) };
    const uid = this.cluster.get(ref)?.metadata.uid;
    if (uid === undefined) return;
    this.#damaged.set(operator, uid);
    this.#delete(ref);
  }

  /** Deletes the damaged Deployment again: it is back after a restore from a backup. */
  #damageAgain(): void {
    for (const [operator, uid] of this.#damaged) {
      const ref = { ...DEPLOYMENT, namespace: operator, name: deploymentOf(operator) };
      if (this.#tried(() => this.cluster.get(ref))?.metadata.uid === uid) this.#delete(ref);
    }
  }

  /**
   * Returns an object that exists already. Returns undefined if it was created just now, or if its kind is
   * not served yet.
   */
  #ensure(object: Parameters<SimulatedCluster['create']>[0]): ApiObject | undefined {
    const { namespace, name = '' } = object.metadata;
    return this.#tried(() => {
      const live = this.cluster.get({ apiVersion: object.apiVersion, kind: object.kind, name, namespace });
      if (live === undefined) this.cluster.create(object);
      return live;
    });
  }

  #delete(ref: ObjectRef): void {
    this.#tried(() => {
      const live = this.cluster.get(ref);
      if (live !== undefined && live.metadata.deletionTimestamp === undefined) this.cluster.delete(ref);
    });
  }

  #listed(kind: Readonly<{ apiVersion: string; kind: string; namespace?: string }>): readonly ApiObject[] {
    return this.#tried(() => this.cluster.list(kind)) ?? [];
  }

  /** Ignores a refusal of the cluster: the next tick tries again. */
  #tried<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      if (Object(error).code !== 'Refusal') throw error;
      return undefined;
    }
  }
}

const crdsOf = (operator: string): readonly string[] =>
  operator === 'buoy' ? [crdOf(operator), crdOf(DEPENDENCY)] : [crdOf(operator)];
