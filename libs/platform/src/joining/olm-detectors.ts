import type { ManagementStatus } from '#core/fleet/joining/management-status';
import type { Hub } from '../hub/hub.js';
import { globalCatalogNamespaceOf } from '../hub/managed-clusters.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { HealthCheck } from '../telemetry/health-check.js';
import { ClusterWrites } from './cluster-writes.js';
import { GuardedClient } from './guarded-client.js';
import { OlmDetector } from './olm-detector.js';

const NAMED = 5;

/**
 * One OLM detector for each cluster of a process; what they find is logged, measured and part
 * of the process's health.
 */
export class OlmDetectors {
  readonly #detectors: ReadonlyMap<string, OlmDetector>;
  readonly #writes: ReadonlyMap<string, ClusterWrites>;

  constructor(
    private readonly hub: Pick<Hub, 'clock' | 'log' | 'metrics' | 'settings'>,
    clients: readonly KubeClient[],
  ) {
    this.#writes = new Map(
      clients.map(({ cluster }) => [cluster, new ClusterWrites(cluster, () => !this.isHeld(cluster))]),
    );
    this.#detectors = new Map(clients.map((client) => [client.cluster, this.#detectorOf(client)]));
  }

  /** The same clients; from the moment a cluster is found to be left to OLM, they refuse to write there. */
  guard(clients: readonly KubeClient[]): KubeClient[] {
    return clients.map((client) => {
      const writes = this.#writes.get(client.cluster);
      return writes === undefined ? client : new GuardedClient(client, writes);
    });
  }

  /** Whether Flotilla acts in a cluster of this process. Rejects where the cluster does not answer. */
  async status(cluster: string): Promise<ManagementStatus> {
    const detector = this.#detectors.get(cluster);
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

  #detectorOf(client: KubeClient): OlmDetector {
    const { clock, log, settings } = this.hub;
    const { cluster } = client;
    return new OlmDetector({
      client,
      clock,
      consentedClusters: settings.clustersBesideOlm,
      globalCatalogNamespace: () => globalCatalogNamespaceOf(client, settings),
      // A resync finds the answer at most half as old as the resync before.
      everyMs: settings.resyncInterval / 2,
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
