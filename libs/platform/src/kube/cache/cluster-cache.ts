import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../../clock/clock.port.js';
import type { Log } from '../../telemetry/log.port.js';
import type { KindRef, KubeClient, ListOptions } from '../client/kube-client.port.js';
import { KindCache } from './kind-cache.js';
import type { SeenVersions } from './seen-versions.js';
import { selects } from './selects.js';

/** A kind to cache: all of its objects, or those with a label. */
export type CachedKind = KindRef &
  Readonly<{ labelSelector?: string; reduce?: (object: KubernetesObject) => KubernetesObject }>;

export type ClusterCacheOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  log: Log;
  kinds: readonly CachedKind[];
  /** Memory that readers of the cache take for an object of the kind, in addition to the object itself. */
  handlerBytes?: (kind: string, object: KubernetesObject) => number;
}>;

/** An object of one of the kinds appeared, changed or went, after the first list of them. */
export type MovedListener = (kind: string, metadata: KubernetesObject['metadata']) => void;

type Held = Readonly<{ kind: CachedKind; cache: KindCache; selected: (object: KubernetesObject) => boolean }>;

/** Poll interval while waiting for the cache to reach a resourceVersion. */
const POLL_EVERY_MS = 5;

/**
 * One cluster's objects of a set of kinds, from watches and from the answers to our own writes. It may
 * be some milliseconds behind the cluster, and says so when it is further: questions that it cannot
 * answer it does not answer. All roles of a process share it, so that no kind is watched twice
 * (decision 0156).
 */
export class ClusterCache {
  readonly #kinds: ReadonlyMap<string, Held>;
  readonly #clock: Clock;
  readonly #listeners = new Set<MovedListener>();
  #stopped = false;

  constructor({ kinds, client, clock, log, handlerBytes }: ClusterCacheOptions) {
    this.#clock = clock;
    this.#kinds = new Map(
      kinds.map((kind) => {
        const { labelSelector, reduce, apiVersion } = kind;
        const options = labelSelector === undefined ? {} : { labelSelector };
        const selected = selects(options) ?? (() => false);
        const cache = new KindCache({
          client,
          clock,
          log,
          kind: { apiVersion, kind: kind.kind },
          options,
          selected,
          onMoved: (metadata) => {
            for (const listener of this.#listeners) listener(kind.kind, metadata);
          },
          ...(handlerBytes === undefined ? {} : { handlerBytes: (object) => handlerBytes(kind.kind, object) }),
          ...(reduce === undefined ? {} : { reduce }),
        });
        return [kind.kind, { kind, cache, selected }];
      }),
    );
  }

  start(): void {
    for (const { cache } of this.#kinds.values()) cache.start();
  }

  /** Stops the watches. The cache then answers no question: its content is no longer kept up to date. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#kinds.values()].map(({ cache }) => cache.stop()));
  }

  /** Resolves once every kind was listed. */
  async whenSynced(): Promise<void> {
    await Promise.all([...this.#kinds.values()].map(({ cache }) => cache.watch.whenSynced()));
  }

  /** Calls the listener from now on, until the returned function is called. */
  onMoved(listener: MovedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the cache with every object of a list with these options. Returns undefined if there is none. */
  ofKind(kind: KindRef, options: ListOptions = {}): KindCache | undefined {
    const held = this.#of(kind);
    return held !== undefined && hasAll(held, options) ? held.cache : undefined;
  }

  /** When the API server last sent something about any kind. */
  lastSeen(): Date {
    return new Date(Math.max(0, ...[...this.#kinds.values()].map(({ cache }) => cache.lastSeen().getTime())));
  }

  /** Returns the reasons the cache is not up to date, one text a kind. */
  problems(): readonly string[] {
    return [...this.#kinds.values()].flatMap(({ cache }) => cache.watch.problem() ?? []);
  }

  /** Returns the kinds among these with watches that have not reached the version within `patienceMs`. */
  async behind(seen: SeenVersions, patienceMs: number): Promise<readonly string[]> {
    for (const deadline = this.#clock.now().getTime() + patienceMs; ; ) {
      const behind = Object.entries(seen).filter(
        ([kind, version]) => this.#kinds.get(kind)?.cache.hasReached(version) === false,
      );
      // A watch that is broken is not waited for: its kind is not answered for anyway.
      const coming = behind.filter(([kind]) => this.#kinds.get(kind)?.cache.current === true);
      if (coming.length === 0 || this.#clock.now().getTime() >= deadline) return behind.map(([kind]) => kind);
      await this.#clock.sleep(POLL_EVERY_MS);
    }
  }

  /** Lists the objects. Returns undefined if this cache cannot answer. */
  list({ apiVersion, kind }: KindRef, options: ListOptions): readonly KubernetesObject[] | undefined {
    const held = this.#heldOf({ apiVersion, kind });
    if (held === undefined) return undefined;
    const wanted = selects(options);
    if (wanted === undefined || !hasAll(held, options)) return undefined;
    return held.cache
      .list(options.namespace)
      .filter(wanted)
      .map((object) => object.open());
  }

  /**
   * Returns all objects of the kind with their names, labels, versions and time of deletion alone: none is
   * opened. Returns undefined if this cache cannot answer.
   */
  listMetadata(kind: KindRef): readonly KubernetesObject[] | undefined {
    const held = this.#heldOf(kind);
    return held === undefined || !hasAll(held, {}) ? undefined : held.cache.list();
  }

  /**
   * Reads an object. `found` is undefined if there is none. Returns undefined if this cache cannot answer.
   */
  get(ref: ObjectRef): Readonly<{ found: KubernetesObject | undefined }> | undefined {
    const held = this.#heldOf(ref);
    return held === undefined || held.kind.labelSelector !== undefined
      ? undefined
      : { found: held.cache.get(ref)?.open() };
  }

  /** Notes the API server's answer to a write of ours. */
  noteWritten(object: KubernetesObject): void {
    this.#of(object)?.cache.noteWritten(object);
  }

  noteDeleted(ref: ObjectRef): void {
    this.#of(ref)?.cache.noteDeleted(ref);
  }

  #heldOf(kind: KindRef): Held | undefined {
    const held = this.#of(kind);
    return held?.cache.current === true && !this.#stopped ? held : undefined;
  }

  #of({ apiVersion, kind }: KindRef): Held | undefined {
    const held = this.#kinds.get(kind);
    return held?.kind.apiVersion === apiVersion ? held : undefined;
  }
}

/** True if the kind is cached as a whole, or with a label that the options ask for. */
function hasAll({ kind: { labelSelector } }: Held, options: ListOptions): boolean {
  return labelSelector === undefined || (options.labelSelector ?? '').split(',').includes(labelSelector);
}
