import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { type KindRef, KubeApiError } from '../client/kube-client.port.js';
import { Reflector, type ReflectorOptions } from './reflector.js';

/** `object` is absent where it was deleted, `previous` where it is new. */
export type CacheChange = (
  kind: KindRef,
  object: KubernetesObject | undefined,
  previous: KubernetesObject | undefined,
) => void;

export type WatchCacheOptions = Omit<ReflectorOptions<KubernetesObject>, 'kind' | 'handlers'> &
  Readonly<{ kinds: readonly KindRef[]; onChange?: CacheChange }>;

/** One cluster's objects of a set of kinds, kept up to date by watches. */
export class WatchCache {
  readonly #reflectors: ReadonlyMap<string, Reflector>;
  readonly #cluster: string;

  constructor({ kinds, onChange, ...options }: WatchCacheOptions) {
    this.#cluster = options.client.cluster;
    this.#reflectors = new Map(
      kinds.map((kind) => {
        const handlers = {
          onChange: (object: KubernetesObject, previous: KubernetesObject | undefined) =>
            onChange?.(kind, object, previous),
          onDelete: (object: KubernetesObject) => onChange?.(kind, undefined, object),
        };
        return [keyOf(kind), new Reflector({ ...options, kind, handlers })];
      }),
    );
  }

  start(): void {
    for (const reflector of this.#reflectors.values()) reflector.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.stop()));
  }

  synced(): boolean {
    return [...this.#reflectors.values()].every((reflector) => reflector.synced());
  }

  async whenSynced(): Promise<void> {
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.whenSynced()));
  }

  /** The time up to which all kinds were seen; the oldest of them counts. */
  lastSeen(): Date {
    const times = [...this.#reflectors.values()].map((reflector) => reflector.lastSeen().getTime());
    return new Date(Math.min(...times));
  }

  /** What keeps the cache from being up to date, one text a kind. */
  problems(): string[] {
    return [...this.#reflectors.values()].flatMap((reflector) => reflector.problem() ?? []);
  }

  served(kind: KindRef): boolean {
    return this.#of(kind).served();
  }

  /** Sorted by namespace and name. Fails for a kind that is not watched: an empty answer would be a lie. */
  list<T extends KubernetesObject>(kind: KindRef, namespace?: string): T[] {
    return this.#of(kind).store.list(namespace) as T[];
  }

  get<T extends KubernetesObject>(ref: ObjectRef): T | undefined {
    return this.#of(ref).store.get(ref) as T | undefined;
  }

  #of(kind: KindRef): Reflector {
    const reflector = this.#reflectors.get(keyOf(kind));
    if (reflector !== undefined) return reflector;
    const text = `cluster "${this.#cluster}": ${kind.kind} of ${kind.apiVersion} is not among the kinds that are watched`;
    throw new KubeApiError(this.#cluster, 0, 'NotWatched', text);
  }
}

const keyOf = ({ apiVersion, kind }: KindRef): string => `${apiVersion} ${kind}`;
