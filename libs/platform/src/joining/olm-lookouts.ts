import type { ClusterStanding } from '#core/joining/cluster-standing';
import type { Hub } from '../hub/hub.js';
import { globalCatalogNamespaceOf } from '../hub/managed-clusters.js';
import type { KubeClient } from '../kube/kube-client.port.js';
import type { HealthCheck } from '../telemetry/health-check.js';
import { OlmLookout } from './olm-lookout.js';

const NAMED = 5;

/** One lookout for each cluster of a process; what they find is logged, measured and part of its health. */
export class OlmLookouts {
  readonly #lookouts: ReadonlyMap<string, OlmLookout>;

  constructor(
    private readonly hub: Pick<Hub, 'clock' | 'log' | 'metrics' | 'settings'>,
    clients: readonly KubeClient[],
  ) {
    this.#lookouts = new Map(clients.map((client) => [client.cluster, this.#lookoutOf(client)]));
  }

  /** Whether Flotilla acts in a cluster of this process. Rejects where the cluster does not answer. */
  async standing(cluster: string): Promise<ClusterStanding> {
    const lookout = this.#lookouts.get(cluster);
    return lookout === undefined ? { acts: true, signs: [] } : lookout.standing();
  }

  /** Milliseconds after which the standing of a cluster may be another. */
  againAfterMs(cluster: string): number {
    return this.#lookouts.get(cluster)?.againAfterMs ?? this.hub.settings.resyncInterval;
  }

  /** True where it is known that nothing is done in the cluster. */
  isHeld(cluster: string): boolean {
    return this.#lookouts.get(cluster)?.latest?.acts === false;
  }

  /** Clusters that are left to OLM are no fault of the service: it is ready, and says so. */
  get check(): HealthCheck {
    return {
      name: 'olm',
      check: async () => {
        const held = [...this.#lookouts].flatMap(([cluster, { latest }]) =>
          latest?.acts === false ? [`${cluster}: ${latest.because}`] : [],
        );
        if (held.length === 0) return { up: true, detail: 'no cluster is left to OLM' };
        const more = held.length > NAMED ? ` and ${held.length - NAMED} more` : '';
        return { up: true, degraded: true, detail: `left alone: ${held.slice(0, NAMED).join('; ')}${more}` };
      },
    };
  }

  #lookoutOf(client: KubeClient): OlmLookout {
    const { clock, log, metrics, settings } = this.hub;
    const { cluster } = client;
    return new OlmLookout({
      client,
      clock,
      consentedClusters: settings.clustersBesideOlm,
      globalCatalogNamespace: () => globalCatalogNamespaceOf(client, settings),
      // A resync finds the answer at most half as old as the resync before.
      everyMs: settings.resyncInterval / 2,
      onNews: (standing) => {
        metrics.clusterHeld(cluster, !standing.acts);
        if (!standing.acts) log.warn({ cluster, because: standing.because }, 'cluster is left alone');
        else if (standing.signs.length > 0)
          log.warn({ cluster, signs: standing.signs }, 'cluster is worked on beside OLM');
      },
    });
  }
}
