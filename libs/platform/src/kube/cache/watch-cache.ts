import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { type KindRef, KubeApiError } from '../client/kube-client.port.js';
import { withoutManagedFields } from '../client/managed-fields.js';
import type { ClusterCache } from './cluster-cache.js';
import type { KindWatch } from './kind-watch.js';
import { Reflector } from './reflector.js';
import type { ReflectorOptions } from './reflector-options.js';
import { selects } from './selects.js';
import { SharedKind } from './shared-kind.js';
import type { SharedObject } from './shared-object.js';
import { type HeldHandlers, SharingWatch } from './sharing-watch.js';

/**
 * `object` is absent if it was deleted, `previous` if it is new. `held` is the result of `keep` or `share`.
 */
type CacheChange = (
  kind: KindRef,
  object: KubernetesObject | undefined,
  previous: KubernetesObject | undefined,
  held: KubernetesObject,
) => void;

type WatchCacheOptions = Omit<ReflectorOptions<KubernetesObject>, 'kind' | 'handlers' | 'known'> &
  Readonly<{
    kinds: readonly KindRef[];
    onChange?: CacheChange;
    /** Kinds that this cache of another role has are read there, and not watched again. */
    shared?: ClusterCache;
    /**
     * Returns the parts to keep if objects share equal values in several clusters. Default: the result of
     * `keep`.
     */
    share?: (object: KubernetesObject) => SharedObject;
  }>;

/** One cluster's objects of a set of kinds, kept up to date by watches. */
export class WatchCache {
  readonly #watches: ReadonlyMap<string, KindWatch>;
  readonly #cluster: string;

  constructor({ kinds, onChange, ...options }: WatchCacheOptions) {
    this.#cluster = options.client.cluster;
    this.#watches = new Map(
      kinds.map((kind) => [keyOf(kind), watchOf(kind, options, new KindHandlers(kind, onChange))]),
    );
  }

  start(): void {
    for (const watch of this.#watches.values()) watch.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#watches.values()].map((watch) => watch.stop()));
  }

  synced(): boolean {
    return [...this.#watches.values()].every((watch) => watch.synced());
  }

  async whenSynced(): Promise<void> {
    await Promise.all([...this.#watches.values()].map((watch) => watch.whenSynced()));
  }

  /** Returns the time up to which all kinds were seen; the oldest of them counts. */
  lastSeen(): Date {
    const times = [...this.#watches.values()].map((watch) => watch.lastSeen().getTime());
    return new Date(Math.min(...times));
  }

  /** Returns the reasons the cache is not up to date, one text a kind. */
  problems(): string[] {
    return [...this.#watches.values()].flatMap((watch) => watch.problem() ?? []);
  }

  served(kind: KindRef): boolean {
    return this.#of(kind).served();
  }

  /**
   * Sorted by namespace and name. `where` may read names and labels alone. Fails for a kind that is not
   * watched: an empty answer would be a lie.
   */
  list<T extends KubernetesObject>(
    kind: KindRef,
    namespace?: string,
    where?: (object: KubernetesObject) => boolean,
  ): T[] {
    return this.#of(kind).list(namespace, where) as T[];
  }

  /** Names, versions and labels of all objects of the kind, in the order of {@link list}. */
  metadata(kind: KindRef): KubernetesObject['metadata'][] {
    return this.#of(kind).metadata();
  }

  get<T extends KubernetesObject>(ref: ObjectRef): T | undefined {
    return this.#of(ref).get(ref) as T | undefined;
  }

  #of(kind: KindRef): KindWatch {
    const watch = this.#watches.get(keyOf(kind));
    if (watch !== undefined) return watch;
    const text = `cluster "${this.#cluster}": ${kind.kind} of ${kind.apiVersion} is not among the kinds that are watched`;
    throw new KubeApiError(this.#cluster, 0, 'NotWatched', text);
  }
}

/**
 * Handlers of one kind. A class, as functions of each kind of each cluster would take several times as much
 * memory.
 */
class KindHandlers implements HeldHandlers {
  constructor(
    private readonly kind: KindRef,
    private readonly notify: CacheChange | undefined,
  ) {}

  onChange(object: KubernetesObject, previous: KubernetesObject | undefined, held = object): void {
    this.notify?.(this.kind, object, previous, held);
  }

  onDelete(object: KubernetesObject, held = object): void {
    this.notify?.(this.kind, undefined, object, held);
  }
}

function watchOf(
  kind: KindRef,
  { shared, share, ...options }: Omit<WatchCacheOptions, 'kinds' | 'onChange'>,
  handlers: HeldHandlers,
): KindWatch {
  const selected = selects(options.options ?? {});
  const cache = shared?.ofKind(kind, options.options);
  const { keep = withoutManagedFields } = options;
  if (selected !== undefined && cache !== undefined) return new SharedKind({ cache, selected, keep, handlers });
  if (share !== undefined) return new SharingWatch({ ...options, keep: share, kind, handlers });
  return new Reflector({ ...options, kind, handlers });
}

const keyOf = ({ apiVersion, kind }: KindRef): string => `${apiVersion} ${kind}`;
