import { type ChangeOrigin, changeOrigin } from '#core/cluster/observation/change-origin';
import { isMarkedCopy } from '#core/cluster/observation/observed-part';
import { kindsOf, WATCHED_KINDS } from '#core/cluster/observation/watched-kinds';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '#platform/clock/clock.port';
import { SharedValues } from '#platform/kube/cache/shared-values';
import { WatchCache } from '#platform/kube/cache/watch-cache';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';
import { withoutManagedFields } from '#platform/kube/client/managed-fields';
import type { Log } from '#platform/telemetry/log.port';
import type { CacheLease, ClusterCaches } from '../../engine/caches/cluster-caches.js';
import { HeldRowParts } from './held-row-parts.js';

/** Shared by all clusters: they hold much the same operators. */
const SHARED = new SharedValues();

/** The rows of the table for the caches of all clusters. */
const ROWS = WATCHED_KINDS.map(({ keep, labelSelector, ...row }) => ({
  ...row,
  kinds: kindsOf(row),
  options: labelSelector === undefined ? undefined : { labelSelector },
  whole: keep === 'whole',
  keep: keep === 'whole' ? withoutManagedFields<KubernetesObject> : keep,
}));

/** Returns the bytes of memory that the poller takes for an object in addition to the cached part. */
export function handlerBytesOf(kind: string, object: KubernetesObject): number {
  return WATCHED_KINDS.find(({ concerns }) => kind in concerns)?.handlerBytes?.(object) ?? 0;
}

export type ObjectEvent = 'changed' | 'gone';

type ObservedObjectsOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  log: Log;
  /** The namespace of global catalogs in the cluster. */
  globalCatalogNamespace: string;
  /** The caches of the applier, if it is a role of the same process. */
  caches?: ClusterCaches | undefined;
  /**
   * Called with each event. `object` is the current object, or the last one before it went. `origin` is not
   * known if another role of the process watches. `before` is the object with its former labels, if one of
   * them has another value now.
   */
  onEvent: (
    object: KubernetesObject,
    event: ObjectEvent,
    origin: ChangeOrigin | undefined,
    before: KubernetesObject | undefined,
  ) => void;
}>;

/** The objects of one cluster that the poller observes, and their events. */
export class ObservedObjects {
  readonly rowParts: HeldRowParts;
  readonly #caches: readonly (readonly [readonly KindRef[], WatchCache])[];
  readonly #required: readonly WatchCache[];
  readonly #lease: CacheLease | undefined;
  /** Origins of objects that are being taken in. */
  readonly #origins = new WeakMap<KubernetesObject, ChangeOrigin>();

  constructor({ client, clock, log, caches, globalCatalogNamespace, onEvent }: ObservedObjectsOptions) {
    this.rowParts = new HeldRowParts(globalCatalogNamespace);
    this.#lease = caches?.lease(client);
    const shared = this.#lease?.cache;
    this.#caches = ROWS.map(({ kinds, options, keep, whole, handlerBytes }) => [
      kinds,
      new WatchCache({
        client,
        clock,
        log,
        kinds,
        // Objects that are read from another role's cache are not kept here.
        keep: (object) => {
          const kept = this.#cut(kinds, object, keep);
          return shared === undefined && whole ? this.#taken(object, kept) : kept;
        },
        ...(whole ? {} : { share: (object) => this.#taken(object, SHARED.within(this.#cut(kinds, object, keep))) }),
        ...(handlerBytes === undefined ? {} : { handlerBytes }),
        ...(options === undefined ? {} : { options }),
        ...(shared === undefined ? {} : { shared }),
        onChange: (kind, object, previous, held) => {
          const subject = object ?? previous;
          // Lists leave apiVersion and kind out of their items.
          if (subject === undefined) return;
          if (object === undefined) this.rowParts.drop(kind.kind, subject);
          const origin = this.#origins.get(held);
          this.#origins.delete(held);
          const about = previous === undefined ? subject : withLabelsOf(previous, subject);
          const before = previous && labelledBefore(previous, subject);
          onEvent(
            { ...about, ...kind },
            object === undefined ? 'gone' : 'changed',
            origin,
            before && { ...before, ...kind },
          );
        },
      }),
    ]);
    this.#required = this.#caches.flatMap(([, cache], index) => (ROWS[index]?.optional === true ? [] : [cache]));
  }

  /** Projects an object for the cache, and extracts the row parts now, while the full object is available. */
  #cut(
    kinds: readonly KindRef[],
    object: KubernetesObject,
    keep: (object: KubernetesObject) => KubernetesObject,
  ): KubernetesObject {
    const [only, ...others] = kinds;
    // Each kind that makes rows has a watch of its own; lists leave the kind out of their items.
    if (only !== undefined && others.length === 0) this.rowParts.take(only.kind, object);
    return keep(object);
  }

  #taken<T extends KubernetesObject>(object: KubernetesObject, kept: T): T {
    this.#origins.set(kept, changeOrigin(object));
    return kept;
  }

  start(): void {
    for (const [, cache] of this.#caches) cache.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#caches.map(([, cache]) => cache.stop()));
    await this.#lease?.end();
  }

  async whenSynced(): Promise<void> {
    await Promise.all(this.#required.map((cache) => cache.whenSynced()));
  }

  list<T extends KubernetesObject>(kind: KindRef, namespace?: string): T[] {
    return this.#list(kind, namespace);
  }

  /** The CSVs of the cluster, or of one namespace, that are no copies. */
  originals(namespace?: string): ClusterServiceVersion[] {
    // A large cluster has a hundred thousand copies: they are left out before they are opened.
    const marked = this.#list<ClusterServiceVersion>(
      KIND.ClusterServiceVersion,
      namespace,
      (csv) => !isMarkedCopy(csv),
    );
    return marked.filter((csv) => !isCopied(csv));
  }

  get(kind: KindRef, { namespace, name }: Readonly<{ namespace: string; name: string }>): KubernetesObject | undefined {
    return this.#cacheOf(kind)?.get({ ...kind, namespace, name });
  }

  /** True if there is a cluster-scoped object of that name. */
  has(kind: KindRef, name: string): boolean {
    return this.#cacheOf(kind)?.get({ ...kind, name }) !== undefined;
  }

  /** Returns the number of objects of a kind. */
  count(kind: KindRef): number {
    return this.#cacheOf(kind)?.metadata(kind).length ?? 0;
  }

  /** The objects of a kind by names, versions and labels alone. */
  named(kind: KindRef): Pick<KubernetesObject, 'kind' | 'apiVersion' | 'metadata'>[] {
    return (this.#cacheOf(kind)?.metadata(kind) ?? []).map((metadata) => ({ ...kind, metadata }));
  }

  #list<T extends KubernetesObject>(kind: KindRef, namespace?: string, where?: (object: KubernetesObject) => boolean) {
    return (this.#cacheOf(kind)?.list<T>(kind, namespace, where) ?? []).map((item) => ({ ...item, ...kind }));
  }

  #cacheOf(kind: KindRef): WatchCache | undefined {
    return this.#caches.find(([kinds]) => kinds.some((known) => known.kind === kind.kind))?.[1];
  }

  synced(): boolean {
    return this.#required.every((cache) => cache.synced());
  }

  problems(): string[] {
    return this.#caches.flatMap(([, cache]) => cache.problems());
  }

  lastSeen(): Date {
    return new Date(Math.min(...this.#required.map((cache) => cache.lastSeen().getTime())));
  }
}

/** Returns the object with its former labels too: a removed label concerns the readers that select by it. */
function withLabelsOf(previous: KubernetesObject, now: KubernetesObject): KubernetesObject {
  const removed = Object.entries(previous.metadata.labels ?? {}).filter(
    ([key]) => !(key in (now.metadata.labels ?? {})),
  );
  if (removed.length === 0) return now;
  return { ...now, metadata: { ...now.metadata, labels: { ...Object.fromEntries(removed), ...now.metadata.labels } } };
}

/** Returns the object with its former labels, if one has another value now: it concerns its former owner. */
function labelledBefore(previous: KubernetesObject, now: KubernetesObject): KubernetesObject | undefined {
  const { labels = {} } = now.metadata;
  const former = previous.metadata.labels ?? {};
  const isOther = Object.entries(former).some(([key, value]) => key in labels && labels[key] !== value);
  return isOther ? { ...now, metadata: { ...now.metadata, labels: { ...labels, ...former } } } : undefined;
}
