import type { ManagementStatus } from '#core/fleet/joining/management-status';
import type { Hub } from '../hub/hub.js';
import { globalCatalogNamespaceOf } from '../hub/managed-clusters.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { ServiceClusters } from '../membership/service-clusters.port.js';
import type { HealthCheck } from '../telemetry/health-check.js';
import { ClusterWrites } from './cluster-writes.js';
import { guardClusters } from './guarded-clusters.js';
import { OlmDetector } from './olm-detector.js';

/** OLM that is installed into a cluster later is noticed after so long at the latest. */
const CHECK_EVERY_MS = 10 * 60_000;
const NAMED = 5;

/**
 * One OLM detector for each cluster of a process; what they find is logged, measured and part
 * of the process's health.
 */
export class OlmDetectors {
  readonly #detectors = new Map<string, OlmDetector>();
  readonly #writes = new Map<string, ClusterWrites>();

  constructor(
    private readonly hub: Pick<Hub, 'clock' | 'log' | 'metrics' | 'settings'>,
    /** The clusters, with the clients by which it is found out whether OLM works there. */
    private readonly clusters: ServiceClusters,
    /** Whether no other process works for the cluster at this moment. */
    private readonly owns: (cluster: string) => boolean = () => true,
  ) {
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

  /** Whether Flotilla acts in a cluster of this process. Rejects where the cluster does not answer. */
  async status(cluster: string): Promise<ManagementStatus> {
    const detector = this.#detectorOf(cluster);
    return detector === undefined ? { acts: true, signs: [] } : detector.status();
  }

  /** Milliseconds after which the status of a cluster may be another. */
  againAfterMs(cluster: string): number {
    return this.#detectors.get(cluster)?.againAfterMs ?? this.hub.settings.resyncInterval;
  }

  /** True where it is known that nothing is done in the cluster. */
  isHeld(cluster: string): boolean {
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
            leaving.map(
              ({ cluster }) => `${cluster}: writes under way that must end first: ${this.#writesTo(cluster)}`,
            ),
          ),
        ];
        return { up: true, degraded: true, detail: parts.join('. ') };
      },
    };
  }

  #writesTo(cluster: string): number {
    return this.#writes.get(cluster)?.underWay ?? 0;
  }

  /** What is held of the clusters ends; resolves once no write is under way there. */
  async #forget(clusters: readonly string[]): Promise<void> {
    const idle = clusters.map(async (cluster) => {
      const writes = this.#writes.get(cluster);
      this.#writes.delete(cluster);
      this.#detectors.delete(cluster);
      writes?.end();
      await writes?.whenIdle();
    });
    await Promise.all(idle);
  }

  #writesOf(cluster: string): ClusterWrites {
    const known = this.#writes.get(cluster);
    if (known !== undefined) return known;
    const writes = new ClusterWrites(cluster, () => {
      if (!this.owns(cluster)) return 'not owned';
      if (this.isHeld(cluster)) return 'left to OLM';
      return this.clusters.isPaused(cluster) ? 'paused' : undefined;
    });
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
      onNews: (status) => {
        void this.#measure(cluster);
        if (!status.acts) log.warn({ cluster, because: status.because }, 'cluster is left alone');
        else if (status.signs.length > 0) log.warn({ cluster, signs: status.signs }, 'cluster is worked on beside OLM');
      },
    });
  }

  async #measure(cluster: string): Promise<void> {
    await this.#writes.get(cluster)?.whenIdle();
    this.hub.metrics.clusterHeld(cluster, this.isHeld(cluster));
  }
}

function named(what: string, clusters: readonly string[]): readonly string[] {
  if (clusters.length === 0) return [];
  const more = clusters.length > NAMED ? ` and ${clusters.length - NAMED} more` : '';
  return [`${what}: ${clusters.slice(0, NAMED).join('; ')}${more}`];
}
