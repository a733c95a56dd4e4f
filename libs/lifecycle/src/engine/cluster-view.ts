import { CLUSTER_PROXY } from '#core/classic/csv/cluster-proxy';
import type { ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '#platform/clock/clock.port';
import type { ClusterCache } from '#platform/kube/cache/cluster-cache';
import type { SeenVersions } from '#platform/kube/cache/resource-version';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { CacheLease, ClusterCaches } from './cluster-caches.js';
import type { ClusterReads } from './pass-reader.js';
import { RightsChanges } from './rights-changes.js';
import { SharedLists } from './shared-lists.js';

export type ClusterViewOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  caches: ClusterCaches;
  /** An object that only the applier may watch has changed in this namespace. */
  onMoved?: (namespace: string) => void;
}>;

/** The poller may not read Secrets, so it does not watch them: lost serving certificates are noticed here. */
const WATCHED_HERE: ReadonlySet<string> = new Set(['Secret']);

/** Watches report within milliseconds; a pass that would have to wait longer asks the cluster. */
const PATIENCE_MS = 250;
/**
 * Whether a cluster is OpenShift does not change while it runs; it is checked again
 * now and then nevertheless.
 */
const PLAIN_FOR_MS = 60_000;

/** Where the passes over one cluster's namespaces read: the cache, and requests for the rest. */
export class ClusterView {
  readonly #lease: CacheLease;
  readonly #rights: RightsChanges;
  readonly #lists: SharedLists;
  readonly #client: KubeClient;
  readonly #clock: Clock;
  #plainUntil = 0;

  readonly #unsubscribe: () => void;

  constructor({ client, clock, caches, onMoved }: ClusterViewOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#lists = new SharedLists(client);
    this.#lease = caches.lease(client);
    this.#rights = new RightsChanges({
      clock,
      csvs: this.#cache,
      onAffected: (namespace) => onMoved?.(namespace),
    });
    this.#unsubscribe = this.#cache.onMoved((kind, metadata) => {
      this.#rights.note(kind, metadata);
      if (metadata.namespace !== undefined && WATCHED_HERE.has(kind)) onMoved?.(metadata.namespace);
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#rights.stop();
    await this.#lease.end();
  }

  /** When the cluster last sent something through a watch. */
  lastSeen(): Date {
    return this.#cache.lastSeen();
  }

  /**
   * Readers for one pass. `seen`: resourceVersions the poller had reached when it enqueued the job; kinds
   * behind them are read live.
   */
  async reads(seen: SeenVersions): Promise<ClusterReads> {
    return {
      get: (ref) => this.#get(ref),
      list: (kind, options) => this.#lists.list(kind, options),
      serverVersion: () => this.#client.serverVersion(),
      cache: this.#cache,
      behind: await this.#cache.behind(seen, PATIENCE_MS),
    };
  }

  get #cache(): ClusterCache {
    return this.#lease.cache;
  }

  async #get(ref: ObjectRef) {
    if (ref.kind !== CLUSTER_PROXY.kind || ref.apiVersion !== CLUSTER_PROXY.apiVersion) return this.#client.get(ref);
    const now = this.#clock.now().getTime();
    if (now < this.#plainUntil) return undefined;
    const found = await this.#client.get(ref);
    if (found === undefined && !(await this.#client.serves(ref))) this.#plainUntil = now + PLAIN_FOR_MS;
    return found;
  }
}
