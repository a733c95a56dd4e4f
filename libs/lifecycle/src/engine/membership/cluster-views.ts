import type { Hub } from '#platform/hub/hub';
import { ClusterHasLeft } from '#platform/joining/cluster-writes';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterCaches } from '../caches/cluster-caches.js';
import { ClusterView } from '../caches/cluster-view.js';
import type { ClusterPart } from './cluster-membership.js';

type ClusterViewsOptions = Readonly<{
  hub: Pick<Hub, 'clock'>;
  caches: ClusterCaches;
  /** The caches stay open without work: the poller of this process reads them all the time. */
  stayOpen?: boolean;
  /** True if the cluster of this client takes part. */
  isMember: (client: KubeClient) => boolean;
  /** A namespace with a change of an object that the poller does not watch. */
  onMoved: (cluster: string, namespace: string) => void;
}>;

/**
 * The views of all clusters that take part and are not left to OLM. Each begins when its cluster joins, not
 * with the first job: a Secret that is deleted in an idle cluster makes no job.
 */
export class ClusterViews {
  readonly #views = new Map<string, ClusterView>();

  constructor(private readonly options: ClusterViewsOptions) {}

  async stop(): Promise<void> {
    await Promise.all([...this.#views.values()].map((view) => view.stop()));
  }

  /** Returns the time at which the cluster last reported something through a watch. */
  lastSeen(cluster: string): Date | undefined {
    return this.#views.get(cluster)?.lastSeen();
  }

  /** Answers of the API server that refuse a watch to the applier. */
  deniedWatches(cluster: string): readonly string[] {
    return this.#views.get(cluster)?.deniedWatches() ?? [];
  }

  /** True if no pass has read the cluster for a while. */
  isIdle(cluster: string): boolean {
    return this.#views.get(cluster)?.isOpen === false;
  }

  /** @throws ClusterHasLeft if the cluster of the client takes part no more */
  of(client: KubeClient): ClusterView {
    const { cluster } = client;
    const known = this.#views.get(cluster);
    if (known !== undefined) return known;
    if (!this.options.isMember(client)) throw new ClusterHasLeft(cluster);
    const { hub, caches, stayOpen = false, onMoved } = this.options;
    const moved = (namespace: string) => onMoved(cluster, namespace);
    const view = new ClusterView({ client, clock: hub.clock, caches, staysOpen: stayOpen, onMoved: moved });
    this.#views.set(cluster, view);
    return view;
  }

  /** The view as a part of the cluster's membership. */
  partOf(client: KubeClient): ClusterPart {
    const end = () => this.#end(client.cluster);
    return {
      start: async () => this.of(client).start(),
      touchAll: () => undefined,
      resyncs: () => [],
      stop: end,
      leave: end,
    };
  }

  async #end(cluster: string): Promise<void> {
    const view = this.#views.get(cluster);
    this.#views.delete(cluster);
    await view?.stop();
  }
}
