import type { Settings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterChange } from '#platform/membership/service-clusters.port';
import type { Io } from '../../terminal/io.js';
import { type CheckedCluster, checkCluster, type UpCheckOptions } from './check-cluster.js';
import { describeCluster, describeSameClusters } from './describe-cluster.js';

const PATIENCE_MS = 10_000;
const CHECK_AGAIN_MS = 5_000;

/**
 * Polls every cluster once and prints a report on it; polls those again that could not be reached. A cluster
 * that joins later, or leaves, is reported, too.
 */
export class ClusterWatch {
  readonly #width: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** The client of each cluster that takes part, or will, by name. */
  readonly #shown: Map<string, KubeClient>;
  #stopped = false;

  constructor(
    private readonly clients: readonly KubeClient[],
    private readonly settings: Settings,
    private readonly io: Io,
    private readonly options: UpCheckOptions = { mayPrepare: () => true, isObserved: () => false, hub: undefined },
  ) {
    this.#shown = new Map(clients.map((client) => [client.cluster, client]));
    this.#width = Math.max(0, ...clients.map(({ cluster }) => cluster.length));
  }

  /**
   * Asks all clusters at once; prints in the order of the kubeconfig. Ends when each has
   * answered or has had its time.
   */
  async firstCheck(): Promise<void> {
    const pending = this.clients.map((client) => checkCluster(client, this.settings, PATIENCE_MS, this.options));
    const checks: CheckedCluster[] = [];
    for (const [index, client] of this.clients.entries()) {
      const check = await pending[index];
      if (check === undefined) continue;
      checks.push(check);
      this.#report(check);
      if (!check.reached) this.#later(client);
    }
    for (const line of describeSameClusters(checks)) this.io.out(`${line}\n`);
  }

  /** Reports changes of the clusters since the start. */
  note(changes: readonly ClusterChange[]): void {
    for (const change of changes) {
      const { kind, cluster } = change;
      if (kind === 'joined' && this.#shown.get(cluster) !== change.client) {
        this.#shown.set(cluster, change.client);
        void this.#checkAgain(change.client);
      }
      if (kind === 'left') {
        this.#shown.delete(cluster);
        this.io.out(`${cluster}: has left\n`);
      }
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #later(client: KubeClient): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#checkAgain(client);
    }, CHECK_AGAIN_MS);
    this.#timers.add(timer);
  }

  async #checkAgain(client: KubeClient): Promise<void> {
    const check = await checkCluster(client, this.settings, PATIENCE_MS, this.options);
    if (this.#stopped || this.#shown.get(client.cluster) !== client) return;
    if (check.reached) this.#report(check);
    else this.#later(client);
  }

  #report(check: CheckedCluster): void {
    for (const line of describeCluster(check, this.#width, this.options.access)) this.io.out(`${line}\n`);
  }
}
