import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../clock/clock.port.js';
import { ClusterCache, type MovedListener } from '../kube/cache/cluster-cache.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { ServerHistory } from '../kube/client/watch-history.js';
import type { HealthCheck } from '../telemetry/health-check.js';
import type { Log } from '../telemetry/log.port.js';
import { FleetClient } from './fleet-client.js';

type FleetStoreOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  log: Log;
  /** The fleet kinds that the service reads. */
  kinds: readonly string[];
  /** Names its line of the service's health. */
  checkName: string;
  /** Asked before every write. Default: always. */
  mayWrite?: () => boolean;
}>;

/** A fleet object as it is kept: names and versions, and the rest once it is opened. */
export type KeptObject = Readonly<{ metadata: KubernetesObject['metadata']; open: () => KubernetesObject }>;

/**
 * The fleet's objects in the hub API: kept up to date by watches, with the writes of this process visible at
 * once. Without changes it sends no request.
 */
export class FleetStore {
  /** Reads from the watches, and writes to the hub API. */
  readonly client: KubeClient;
  readonly #cache: ClusterCache;
  readonly #kinds: readonly string[];
  readonly #history: ServerHistory | undefined;

  constructor({ client, clock, log, kinds, checkName, mayWrite = () => true }: FleetStoreOptions) {
    this.#kinds = kinds;
    // Clusters are worked on without the hub API, too.
    this.check = {
      name: checkName,
      check: async () => {
        const { problem } = this;
        if (problem !== undefined) return { up: true, degraded: true, detail: problem };
        return { up: true, detail: 'the fleet’s objects are watched' };
      },
    };
    const watched = kinds.map((kind) => ({ apiVersion: FLEET_API, kind }));
    this.#cache = new ClusterCache({ client, clock, log, kinds: watched });
    this.client = new FleetClient(client, this.#cache, mayWrite);
    this.#history = client.history;
  }

  readonly check: HealthCheck;

  start(): void {
    this.#cache.start();
  }

  async stop(): Promise<void> {
    await this.#cache.stop();
  }

  whenSynced(): Promise<void> {
    return this.#cache.whenSynced();
  }

  /**
   * Calls the listener for each object that appears, changes or goes after the first lists. Returns a
   * function that unsubscribes.
   */
  onMoved(listener: MovedListener): () => void {
    return this.#cache.onMoved(listener);
  }

  /**
   * Calls the listener when the hub API turns out to have another history, as after a restore: earlier
   * knowledge does not count. Every object moves once it is listed again. Returns a function that
   * unsubscribes.
   */
  onOtherHistory(listener: () => void): () => void {
    return this.#history?.onOther(listener) ?? (() => undefined);
  }

  /**
   * The reason why the objects here may not be those of the hub API. Undefined while all kinds are watched.
   */
  get problem(): string | undefined {
    for (const kind of this.#kinds) {
      const watch = this.#kindOf(kind)?.watch;
      if (watch === undefined || !watch.synced()) return watch?.problem() ?? `${kind}s were not listed yet`;
      if (!watch.served()) return `the hub API does not serve ${kind}: apply the definitions of k8s/crds/fleet`;
      const problem = watch.problem();
      if (problem !== undefined) return `${kind}s are not watched: ${problem}`;
    }
    return undefined;
  }

  /** All objects of a kind, sorted by namespace and name. */
  kept(kind: string): readonly KeptObject[] {
    return this.#kindOf(kind)?.list() ?? [];
  }

  #kindOf(kind: string) {
    return this.#cache.ofKind({ apiVersion: FLEET_API, kind });
  }
}
