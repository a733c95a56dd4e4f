import type { ManagementStatus } from '#core/cluster/joining/management-status';
import type { Hub } from '../hub/hub.js';
import { ClusterWrites } from '../joining/cluster-writes.js';
import { guardClusters } from '../joining/guarded-clusters.js';
import { OlmDetector } from '../joining/olm-detector.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { ServiceClusters } from '../membership/service-clusters.port.js';
import type { HealthCheck } from '../telemetry/health-check.js';
import { ClusterOwners } from './cluster-owners.js';
import { globalCatalogNamespaceOf } from './managed-clusters.js';

/** Longest time until a later installation of OLM into a cluster is noticed. */
const CHECK_EVERY_MS = 10 * 60_000;
const NAMED = 5;

/** Status of a cluster that another manager acts on, by its kubeconfig: OLM is not detected there. */
const OBSERVED: ManagementStatus = {
  acts: false,
  signs: [],
  because: 'the hub only observes the cluster and writes nothing',
};
const WATCHED: ManagementStatus = { acts: true, signs: [] };

type OlmDetectorsOptions = Readonly<{
  /** True if this process writes to each cluster the name of its managing hub. Default: no. */
  takes?: boolean;
  /**
   * Called before anything is written to a cluster. The write waits for it; undefined: there is nothing to
   * do.
   */
  beforeWrite?: ((cluster: string) => Promise<void> | undefined) | undefined;
  /** Called if another process must write the mark that a hub with the same identity waits for. */
  onMarksAwaited?: ((cluster: string) => void) | undefined;
  /** Options for commands to reach a cluster. Default: its context. */
  access?: ((cluster: string) => string) | undefined;
}>;

/**
 * The OLM detectors of a process, one for each cluster. Their findings are logged, measured and part of the
 * process's health.
 */
export class OlmDetectors {
  readonly #detectors = new Map<string, OlmDetector>();
  readonly #writes = new Map<string, ClusterWrites>();
  readonly #listeners = new Set<(cluster: string) => void>();
  /** The managing hub of each cluster. */
  readonly owners: ClusterOwners;

  constructor(
    private readonly hub: Pick<Hub, 'clock' | 'log' | 'metrics' | 'settings'> &
      Partial<Pick<Hub, 'identity' | 'instance'>>,
    /** The clusters, with the clients that find out if OLM works there. */
    private readonly clusters: ServiceClusters,
    /** True if no other process works for the cluster at this moment. */
    private readonly owns: (cluster: string) => boolean = () => true,
    private readonly options: OlmDetectorsOptions = {},
  ) {
    this.owners = new ClusterOwners({
      hub,
      clusters,
      mayTake: (cluster) => options.takes === true && owns(cluster) && !clusters.isPaused(cluster),
      beforeWrite: options.beforeWrite,
      onMarksAwaited: options.onMarksAwaited,
      access: options.access,
      onNews: (cluster) => {
        for (const listener of this.#listeners) listener(cluster);
      },
    });
    clusters.subscribe((changes) =>
      this.#forget(changes.flatMap(({ kind, cluster }) => (kind === 'left' ? cluster : []))),
    );
  }

  /**
   * The same clusters, with clients that refuse to write to one that is left to OLM, is paused, or has left.
   */
  guard(clusters: ServiceClusters): ServiceClusters {
    return guardClusters(clusters, (cluster) => this.#writesOf(cluster));
  }

  /** Returns the management status of a cluster of this process. Rejects if the cluster does not answer. */
  async status(cluster: string): Promise<ManagementStatus> {
    if (this.clusters.isObserved(cluster)) return OBSERVED;
    const detector = this.#detectorOf(cluster);
    if (detector === undefined) return WATCHED;
    const status = await detector.status();
    if (!status.acts) return status;
    // The owner of a cluster is asked last: a cluster left to OLM is not taken.
    const owner = await this.owners.of(cluster)?.status();
    return owner?.acts === false ? { ...status, acts: false, because: owner.because } : status;
  }

  /** Same as {@link status}, for watches: also if another hub acts, and this hub only reports. */
  async statusToWatch(cluster: string): Promise<ManagementStatus> {
    return this.clusters.isObserved(cluster) ? WATCHED : this.status(cluster);
  }

  /**
   * Calls back when a cluster turns out to be another hub's, or no longer is. Returns a function that
   * unsubscribes.
   */
  whenOwnerChanges(listener: (cluster: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Takes note that the manager of the cluster may have changed, as the watch of its namespaces reports. */
  ownerTouched(cluster: string): void {
    if (this.clusters.isObserved(cluster)) return;
    const asked = this.owners.of(cluster)?.ask();
    asked?.catch((error: unknown) =>
      this.hub.log.debug({ cluster, error }, 'could not determine the manager of the cluster'),
    );
  }

  /** Asks for the manager of the cluster, and writes the mark that another hub, or this one, waits for. */
  async answerFor(cluster: string): Promise<void> {
    await this.status(cluster);
    if (!this.clusters.isObserved(cluster) && !this.#isLeftToOlm(cluster)) await this.owners.of(cluster)?.ask();
  }

  /** Forgets the findings about a cluster: the next status reads it again. */
  doubt(cluster: string): void {
    this.#detectors.delete(cluster);
    this.owners.forget(cluster);
  }

  /** Milliseconds after which the status of a cluster may change. */
  againAfterMs(cluster: string): number {
    const detector = this.#detectors.get(cluster);
    if (detector === undefined) return this.hub.settings.resyncInterval;
    const owner = this.owners.isForeign(cluster) ? (this.owners.of(cluster)?.againAfterMs ?? 0) : Infinity;
    return Math.min(detector.againAfterMs, owner);
  }

  /** True if it is known that nothing is done in the cluster. */
  isHeld(cluster: string): boolean {
    return this.#isLeftToOlm(cluster) || this.owners.isForeign(cluster);
  }

  #isLeftToOlm(cluster: string): boolean {
    return this.#detectors.get(cluster)?.latest?.acts === false;
  }

  /**
   * Clusters that are left to OLM do not make the service unready; the detail names them. A cluster counts as
   * left alone once no write is under way there: from then on this process writes nothing to it.
   */
  get check(): HealthCheck {
    return {
      name: 'olm',
      check: async () => {
        const held = [...this.#detectors].flatMap(([cluster, { latest }]) =>
          latest?.acts === false ? [{ cluster, because: latest.because }] : [],
        );
        if (held.length === 0) return { up: true, detail: 'no cluster is left to OLM' };
        const leaving = held.filter(({ cluster }) => this.#writesTo(cluster) > 0);
        const left = held.filter(({ cluster }) => this.#writesTo(cluster) === 0);
        const parts = [
          ...named(
            'left alone',
            left.map(({ cluster, because }) => `${cluster}: ${because}`),
          ),
          ...named(
            'about to be left alone',
            leaving.map(({ cluster }) => `${cluster}: waiting for writes to end: ${this.#writesTo(cluster)}`),
          ),
        ];
        const troubles = Object.fromEntries(held.map(({ cluster, because }) => [cluster, because]));
        return { up: true, degraded: true, detail: parts.join('. '), troubles };
      },
    };
  }

  #writesTo(cluster: string): number {
    return this.#writes.get(cluster)?.underWay ?? 0;
  }

  /** Stops and drops everything held of the clusters. Resolves once no write is under way there. */
  async #forget(clusters: readonly string[]): Promise<void> {
    const idle = clusters.map(async (cluster) => {
      const writes = this.#writes.get(cluster);
      this.#writes.delete(cluster);
      this.#detectors.delete(cluster);
      this.owners.forget(cluster);
      writes?.end();
      await writes?.whenIdle();
    });
    await Promise.all(idle);
  }

  #writesOf(cluster: string): ClusterWrites {
    const known = this.#writes.get(cluster);
    if (known !== undefined) return known;
    const whyWithheld = () => {
      if (!this.owns(cluster)) return 'not owned';
      if (this.clusters.isObserved(cluster)) return 'observed';
      if (this.#isLeftToOlm(cluster)) return 'left to OLM';
      if (this.owners.isForeign(cluster)) return 'of another hub';
      return this.clusters.isPaused(cluster) ? 'paused' : undefined;
    };
    const confirm = () => this.owners.of(cluster)?.confirm();
    const first = () => this.options.beforeWrite?.(cluster);
    const writes = new ClusterWrites(cluster, whyWithheld, () => first()?.then(confirm) ?? confirm());
    this.#writes.set(cluster, writes);
    return writes;
  }

  #detectorOf(cluster: string): OlmDetector | undefined {
    const known = this.#detectors.get(cluster);
    if (known !== undefined) return known;
    const client = this.clusters.client(cluster);
    if (client === undefined) return undefined;
    const detector = this.#newDetector(client);
    this.#detectors.set(cluster, detector);
    return detector;
  }

  #newDetector(client: KubeClient): OlmDetector {
    const { clock, log, settings } = this.hub;
    const { cluster } = client;
    return new OlmDetector({
      client,
      clock,
      consentedClusters: settings.clustersBesideOlm,
      globalCatalogNamespace: () => globalCatalogNamespaceOf(client, settings),
      everyMs: Math.min(settings.resyncInterval / 2, CHECK_EVERY_MS),
      fullEveryMs: settings.resyncInterval / 2,
      access: this.options.access?.(cluster),
      onNews: (status) => {
        void this.#measure(cluster);
        if (!status.acts) log.warn({ cluster, because: status.because }, 'cluster is left alone');
        else if (status.signs.length > 0)
          log.warn({ cluster, signs: status.signs }, 'OLM runs in the cluster too; continuing as configured');
      },
    });
  }

  async #measure(cluster: string): Promise<void> {
    await this.#writes.get(cluster)?.whenIdle();
    this.hub.metrics.clusterHeld(cluster, this.#isLeftToOlm(cluster));
  }
}

function named(what: string, clusters: readonly string[]): readonly string[] {
  if (clusters.length === 0) return [];
  const more = clusters.length > NAMED ? ` and ${clusters.length - NAMED} more` : '';
  return [`${what}: ${clusters.slice(0, NAMED).join('; ')}${more}`];
}
