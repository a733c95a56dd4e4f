import { hasReleaseFinalizer, isBeingDeleted, RELEASE_FINALIZER } from '#core/cluster/membership/cluster-release';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { ClusterNotKept } from '../joining/cluster-writes.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';
import { troubleOf } from '../kube/errors/api-server-trouble.js';
import type { SecretClusters } from './secret-clusters.js';

type ReleaseMarksOptions = Readonly<{
  /** The hub API, as the applier's field manager. */
  hub: KubeClient;
  secrets: Pick<SecretClusters, 'unmarked'>;
}>;

/** The status of a FleetCluster is written a few times while its cluster joins; each write is a conflict. */
const MOST_TRIES = 10;

/**
 * The finalizer that keeps a FleetCluster until its cluster is released. It is set before anything is written
 * to the cluster. A FleetCluster deleted without it is gone at once, and leaves the hub's marks there forever
 * (decision 0282).
 */
export class ReleaseMarks {
  /** UIDs of marked FleetClusters by cluster, until the watch has them. */
  readonly #marked = new Map<string, string>();
  readonly #marking = new Map<string, Promise<void>>();

  constructor(private readonly options: ReleaseMarksOptions) {}

  /**
   * Sets the finalizer before a write to the cluster. Returns undefined if the FleetCluster has it, or must
   * have none. Rejects with {@link ClusterNotKept} if it cannot be set.
   */
  keep(cluster: string): Promise<void> | undefined {
    const uid = this.options.secrets.unmarked(cluster);
    if (uid === undefined) this.#marked.delete(cluster);
    if (uid === undefined || this.#marked.get(cluster) === uid) return undefined;
    const known = this.#marking.get(cluster);
    if (known !== undefined) return known;
    const marking = this.#mark(cluster).finally(() => this.#marking.delete(cluster));
    this.#marking.set(cluster, marking);
    return marking;
  }

  async #mark(cluster: string): Promise<void> {
    try {
      for (let tries = 1; !(await this.#isMarked(cluster)); tries += 1) {
        if (tries === MOST_TRIES) throw new ClusterNotKept(cluster, 'its FleetCluster changes too often');
      }
    } catch (error) {
      throw error instanceof ClusterNotKept ? error : new ClusterNotKept(cluster, troubleOf(error));
    }
  }

  /** Sets the finalizer if it is missing. Returns false if the FleetCluster has changed since it was read. */
  async #isMarked(cluster: string): Promise<boolean> {
    const { hub } = this.options;
    const ref = { apiVersion: FLEET_API, kind: 'FleetCluster', name: cluster };
    const found = await hub.get(ref);
    if (found === undefined || isBeingDeleted(found.metadata)) {
      throw new ClusterNotKept(cluster, 'its FleetCluster is deleted');
    }
    const { uid = '', resourceVersion, finalizers = [] } = found.metadata;
    try {
      if (!hasReleaseFinalizer(found.metadata)) {
        await hub.patch(ref, { metadata: { resourceVersion, finalizers: [...finalizers, RELEASE_FINALIZER] } });
      }
    } catch (error) {
      if (KubeApiError.is(error, 'Conflict', 'NotFound')) return false;
      throw error;
    }
    this.#marked.set(cluster, uid);
    return true;
  }
}
