import { Timers } from '#platform/clock/timers';
import type { Hub } from '#platform/hub/hub';
import type { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterCaches } from './cluster-caches.js';
import { ClusterView } from './cluster-view.js';

export type ClusterViewsOptions = Readonly<{
  hub: Pick<Hub, 'clock'>;
  clients: readonly KubeClient[];
  caches: ClusterCaches;
  detectors: Pick<OlmDetectors, 'status' | 'againAfterMs'>;
  /** A namespace with a change of an object that the poller does not watch. */
  onMoved: (cluster: string, namespace: string) => void;
  /** Evenly from 0 up to 1: spreads the connections of a fleet over time. */
  random: () => number;
}>;

/**
 * A thousand connections are not opened at once: time for each cluster, in which the first views are spread.
 */
const SPREAD_MS = 20;
/** A cluster that does not answer is tried again after so long. */
const UNREACHED_MS = 30_000;

/**
 * The views of all clusters that are not left to OLM. Each is opened at the start, not with the first job: a
 * Secret that is deleted in an idle cluster makes no job.
 */
export class ClusterViews {
  readonly #views = new Map<string, ClusterView>();
  readonly #timers: Timers;

  constructor(private readonly options: ClusterViewsOptions) {
    this.#timers = new Timers(options.hub.clock);
  }

  start(): void {
    const { clients, random } = this.options;
    const spreadMs = clients.length * SPREAD_MS;
    for (const client of clients) this.#timers.repeat(spreadMs * random(), () => this.#check(client));
  }

  async stop(): Promise<void> {
    this.#timers.stop();
    await Promise.all([...this.#views.values()].map((view) => view.stop()));
  }

  /** When the cluster last reported something through a watch. */
  lastSeen(cluster: string): Date | undefined {
    return this.#views.get(cluster)?.lastSeen();
  }

  of(client: KubeClient): ClusterView {
    const { cluster } = client;
    const known = this.#views.get(cluster);
    if (known !== undefined) return known;
    const { hub, caches, onMoved } = this.options;
    const { clock } = hub;
    const view = new ClusterView({ client, clock, caches, onMoved: (namespace) => onMoved(cluster, namespace) });
    this.#views.set(cluster, view);
    return view;
  }

  /**
   * Answers in how many milliseconds to check again. Where an OLM has come meanwhile,
   * nothing is watched any more.
   */
  async #check(client: KubeClient): Promise<number> {
    const { cluster } = client;
    const { detectors, random } = this.options;
    const management = await detectors.status(cluster).catch(() => undefined);
    if (this.#timers.stopped || management === undefined) return UNREACHED_MS * (0.5 + random());
    if (management.acts) this.of(client);
    else {
      const view = this.#views.get(cluster);
      this.#views.delete(cluster);
      await view?.stop();
    }
    return detectors.againAfterMs(cluster);
  }
}
