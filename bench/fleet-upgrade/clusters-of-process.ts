import { setImmediate as nextTurn } from 'node:timers/promises';
import { shippedManifests } from '#platform/joining/shipped-manifests';
import type { SimulatedCluster, StoredObject } from '#testing/cluster/simulated-cluster';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { pause } from '#testing/patience';
import { begin, widen } from '../isolation/troubles.js';
import { catalogSource, namespace, operatorGroup, subscription } from '../lifecycle/lifecycle-objects.js';
import type { Edition } from '../lifecycle/operator-images.js';
import type { ClustersAnswer, EndState, RequestCounts, Troubled } from './clusters-messages.js';
import { endStateOf, watchMilestones } from './reached-milestones.js';

/** The namespace of the CatalogSource of a cluster: its catalog is for all namespaces. */
const GLOBAL = 'olm';
const SERVICES = new Set(['flotilla-applier', 'flotilla-poller']);
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const CATALOG = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', name: 'lifecycle' };
/** As kube-apiserver does. A bookmark a second for each watch would be work that no real cluster makes. */
const BOOKMARK_EVERY_MS = 60_000;
/** With more, the changes of ClusterServiceVersions alone would take megabytes in each cluster. */
const KEPT_CHANGES = 32;
const SERVED_WITHIN_MS = 1_800_000;
const FAULTS_REPORTED = 5;

/**
 * The simulated clusters of this process: carries out changes in them, and counts the requests of services.
 */
export class ClustersOfProcess {
  readonly #counts = { reads: 0, writes: 0, watches: 0 };
  readonly #each: Record<string, number> = {};
  readonly #clusters: readonly SimulatedCluster[];
  #operators: readonly string[] = [];
  #away: ReadonlySet<string> = new Set();

  private constructor(
    private readonly fleet: SimulatedFleet,
    names: readonly string[],
    private readonly send: (answer: ClustersAnswer) => void,
    private readonly troubled: Troubled | undefined,
  ) {
    this.#clusters = names.map((name) => fleet.cluster(name));
    for (const cluster of this.#clusters) this.#countRequests(cluster);
  }

  /** Starts the clusters. Bare clusters lack OLM's kinds; the hub then installs them. */
  static async start(
    names: readonly string[],
    bare: boolean,
    send: (answer: ClustersAnswer) => void,
    troubled?: Troubled,
  ): Promise<ClustersOfProcess> {
    const fleet = await startSimulatedFleet({
      clusters: names,
      bookmarkEveryMs: BOOKMARK_EVERY_MS,
      keptChanges: KEPT_CHANGES,
    });
    const clusters = new ClustersOfProcess(fleet, names, send, troubled);
    if (!bare) await clusters.#defineKinds();
    if (troubled?.trouble === 'wide') await clusters.#inEach((cluster) => widen(cluster, troubled.namespaces));
    return clusters;
  }

  kubeconfig(): string {
    return this.fleet.kubeconfig();
  }

  counts(): RequestCounts {
    const watched = this.#clusters.filter((cluster) => cluster.openWatches() > 0).length;
    return { ...this.#counts, watched, each: this.#each };
  }

  /** Everything that the first cluster stores. */
  dump(): readonly StoredObject[] {
    return this.#clusters[0]?.stored() ?? [];
  }

  restore(operators: readonly string[], objects: readonly StoredObject[]): Promise<void> {
    this.#operators = operators;
    return this.#inEach((cluster) => cluster.restore(objects));
  }

  /** Returns at once in bare clusters: each is prepared as soon as it has OLM's kinds. */
  prepare(operators: readonly string[], image: string): Promise<void> {
    this.#operators = operators;
    return this.#inEach(async (cluster) => {
      watchMilestones(cluster, operators, (reached) => this.send({ reached, cluster: cluster.name, atMs: Date.now() }));
      void this.#prepareCluster(cluster, image);
    });
  }

  /** Begins the trouble, if there is any. */
  trouble(groups: number): Promise<void> {
    return this.#inEach((cluster) => {
      if (this.troubled !== undefined) begin(this.troubled.trouble, this.fleet, cluster, groups);
    });
  }

  subscribe(installPlanApproval?: 'Manual'): Promise<void> {
    return this.#inEach((cluster) => {
      for (const name of this.#operators) {
        const { spec, ...object } = subscription(name, name, GLOBAL);
        cluster.create({
          ...object,
          spec: { ...(spec as object), ...(installPlanApproval && { installPlanApproval }) },
        });
      }
    });
  }

  offer(image: string): Promise<void> {
    return this.#inEach((cluster) => {
      cluster.edit({ ...CATALOG, namespace: GLOBAL }, (source) => {
        source['spec'] = { sourceType: 'grpc', image };
      });
    });
  }

  /**
   * Cuts these clusters off, and connects those that were cut off before. Connections break, and later
   * requests are lost without a word: they wait for their time limit. A refused connection would end at once.
   */
  setAway(names: readonly string[]): void {
    const before = this.#away;
    this.#away = new Set(names);
    for (const cluster of this.#clusters) {
      if (before.has(cluster.name) !== this.#away.has(cluster.name)) cluster.dropConnections();
    }
  }

  endState(edition: Edition): EndState {
    const states = this.#clusters.map((cluster) => endStateOf(cluster, this.#operators, edition));
    return {
      succeeded: states.reduce((sum, { succeeded }) => sum + succeeded, 0),
      faults: states.flatMap(({ faults }) => faults).slice(0, FAULTS_REPORTED),
    };
  }

  async #defineKinds(): Promise<void> {
    const [first, ...others] = this.#clusters;
    for (const crd of (await shippedManifests()).crds) first?.create(crd);
    await this.#inEach((cluster) => {
      if (first !== undefined && others.includes(cluster)) cluster.copyFrom(first, CRD);
    });
  }

  async #prepareCluster(cluster: SimulatedCluster, image: string): Promise<void> {
    const existing = new Set(
      cluster.list({ apiVersion: 'v1', kind: 'Namespace' }).map(({ metadata }) => metadata.name),
    );
    for (const name of [GLOBAL, ...this.#operators]) if (!existing.has(name)) cluster.create(namespace(name));
    const deadline = Date.now() + SERVED_WITHIN_MS;
    while (!(isServed(cluster, CATALOG) && isServed(cluster, operatorGroup('')))) {
      if (Date.now() > deadline) return;
      await pause(200);
    }
    for (const name of this.#operators) cluster.create(operatorGroup(name));
    cluster.create(catalogSource(GLOBAL, image));
  }

  /** Requests are answered between one cluster and the next. */
  async #inEach(change: (cluster: SimulatedCluster) => Promise<void> | void): Promise<void> {
    for (const cluster of this.#clusters) {
      await change(cluster);
      await nextTurn();
    }
  }

  /** The log of requests is emptied each time: with thousands in each cluster it would take most memory. */
  #countRequests(cluster: SimulatedCluster): void {
    cluster.lossOf = ({ userAgent = '', verb, resource, path }) => {
      cluster.requests.clear();
      const loss = this.#away.has(cluster.name) ? 'request' : undefined;
      if (!SERVICES.has(userAgent)) return loss;
      const asked = `${userAgent}: ${verb} ${resource ?? path}`;
      this.#each[asked] = (this.#each[asked] ?? 0) + 1;
      if (verb === 'watch') this.#counts.watches += 1;
      else if (WRITES.has(verb)) this.#counts.writes += 1;
      else this.#counts.reads += 1;
      return loss;
    };
  }
}

function isServed(cluster: SimulatedCluster, kind: Readonly<{ apiVersion: string; kind: string }>): boolean {
  try {
    cluster.list(kind);
    return true;
  } catch {
    return false;
  }
}
