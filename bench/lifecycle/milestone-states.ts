import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { SystemClock } from '#platform/clock/system-clock';
import { WatchCache } from '#platform/kube/cache/watch-cache';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';

const GIVE_UP_MS = 120_000;

export type IsSo = (object: KubernetesObject) => boolean;

/** Sees by watches, as a client of the cluster would, how far extensions and catalogs have come. */
export class MilestoneStates {
  readonly #cache: WatchCache;
  #polls: (() => void)[] = [];

  constructor(client: KubeClient) {
    const kinds = [CLUSTER_EXTENSION_API, CLUSTER_CATALOG_API];
    const onChange = () => {
      for (const poll of this.#polls) poll();
    };
    this.#cache = new WatchCache({ client, clock: new SystemClock(), kinds, onChange });
  }

  async start(): Promise<void> {
    this.#cache.start();
    await this.#cache.whenSynced();
  }

  stop(): Promise<void> {
    return this.#cache.stop();
  }

  /** When the object was seen to be so, by `performance.now()`. */
  until(kind: KindRef, name: string, isSo: IsSo): Promise<number> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${kind.kind} ${name} did not come so far`)), GIVE_UP_MS);
      const poll = () => {
        const object = this.#cache.get({ ...kind, name });
        if (object === undefined || !isSo(object)) return;
        clearTimeout(timer);
        this.#polls = this.#polls.filter((one) => one !== poll);
        resolve(performance.now());
      };
      this.#polls.push(poll);
      poll();
    });
  }
}
