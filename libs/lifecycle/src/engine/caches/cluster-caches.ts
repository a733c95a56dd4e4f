import { ClusterCache, type ClusterCacheOptions } from '#platform/kube/cache/cluster-cache';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { CACHED_KINDS } from './cached-kinds.js';

type ClusterCachesOptions = Omit<ClusterCacheOptions, 'client' | 'kinds'> &
  Readonly<{
    /** True if the process should drop data that it can read again. Default: never. */
    isMemoryShort?: () => boolean;
  }>;

/** One role's right to read a cluster's cache, until it ends it. */
export type CacheLease = Readonly<{
  cache: ClusterCache;
  /** The watches end once no role has a lease. A second call does nothing. */
  end: () => Promise<void>;
}>;

/** Number of caches that takes a few hundred megabytes at most. */
const MANY = 100;

type Leased = { readonly cache: ClusterCache; holders: number };

/**
 * One cache per cluster, for all roles of a process: its watches run from the first lease to the end of the
 * last one (decision 0156).
 */
export class ClusterCaches {
  readonly #leased = new Map<string, Leased>();

  constructor(private readonly options: ClusterCachesOptions) {}

  /** True if so many caches are open that idle ones should be closed soon. */
  get areMany(): boolean {
    return this.#leased.size > MANY;
  }

  /** True if memory is short because of these caches. */
  get areTooMany(): boolean {
    return this.areMany && this.options.isMemoryShort?.() === true;
  }

  /** The client of the first role is the one that watches. */
  lease(client: KubeClient): CacheLease {
    const { cluster } = client;
    const leased = this.#leased.get(cluster) ?? this.#open(client);
    leased.holders += 1;
    let ended = false;
    const end = async () => {
      if (ended) return;
      ended = true;
      leased.holders -= 1;
      if (leased.holders > 0) return;
      // Before the watches have ended: a later lease gets new ones.
      this.#leased.delete(cluster);
      await leased.cache.stop();
    };
    return { cache: leased.cache, end };
  }

  #open(client: KubeClient): Leased {
    const leased = { cache: new ClusterCache({ ...this.options, client, kinds: CACHED_KINDS }), holders: 0 };
    this.#leased.set(client.cluster, leased);
    leased.cache.start();
    return leased;
  }
}
