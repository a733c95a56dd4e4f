import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { ClusterCache } from '../kube/cache/cluster-cache.js';
import {
  type DeletionOptions,
  type KindRef,
  KubeApiError,
  KubeClient,
  type KubernetesList,
  type ListReading,
  type WatchedEvents,
  type WatchOptions,
  type WriteOptions,
  type Written,
} from '../kube/client/kube-client.port.js';

/** Thrown if this process may no longer write to the hub API: another one leads. */
export class NotLeading extends Error {}

/**
 * A client of the hub API that reads from a cache, if the cache has the object. It shows its own writes there
 * at once. If a write is refused as a conflict, its object is read from the API server until the cache has a
 * newer one.
 */
export class FleetClient extends KubeClient {
  readonly cluster: string;
  /** Versions that refused writes were made from, by object. */
  readonly #stale = new Map<string, string>();

  constructor(
    private readonly client: KubeClient,
    private readonly cache: ClusterCache,
    /** Asked before every write. */
    private readonly mayWrite: () => boolean,
  ) {
    super();
    this.cluster = client.cluster;
  }

  get budget() {
    return this.client.budget;
  }

  async get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined> {
    const cached = this.cache.get(ref);
    if (cached === undefined) return this.client.get<T>(ref);
    const stale = this.#stale.get(keyOf(ref));
    if (stale !== undefined) {
      if (stale === (cached.found?.metadata.resourceVersion ?? '')) return this.client.get<T>(ref);
      this.#stale.delete(keyOf(ref));
    }
    return cached.found as T | undefined;
  }

  async list<T extends KubernetesObject>(
    kind: KindRef,
    options: ListReading<T> = {},
  ): Promise<KubernetesList<T> | undefined> {
    const items = this.cache.list(kind, options);
    return items === undefined ? this.client.list<T>(kind, options) : { items: items as T[], resourceVersion: '' };
  }

  create<T extends KubernetesObject>(object: T, options?: WriteOptions): Promise<Written<T>> {
    return this.#write(object, () => this.client.create(object, options));
  }

  update<T extends KubernetesObject>(object: T, options?: WriteOptions): Promise<Written<T>> {
    return this.#write(object, () => this.client.update(object, options));
  }

  updateStatus<T extends KubernetesObject>(object: T): Promise<Written<T>> {
    return this.#write(object, () => this.client.updateStatus(object));
  }

  apply<T extends KubernetesObject>(
    object: T,
    options?: WriteOptions & Readonly<{ subresource?: 'status' }>,
  ): Promise<Written<T>> {
    return this.#write(object, () => this.client.apply(object, options));
  }

  patch<T extends KubernetesObject>(
    ref: ObjectRef,
    patch: Readonly<Record<string, unknown>>,
    options?: WriteOptions & Readonly<{ subresource?: 'status'; type?: 'merge' | 'strategic' }>,
  ): Promise<Written<T>> {
    return this.#write(undefined, () => this.client.patch<T>(ref, patch, options));
  }

  async delete(ref: ObjectRef, options?: DeletionOptions): Promise<boolean> {
    this.#check();
    const isGone = await this.client.delete(ref, options);
    this.cache.noteDeleted(ref);
    return isGone;
  }

  watch<T extends KubernetesObject>(kind: KindRef, options: WatchOptions): WatchedEvents<T> {
    return this.client.watch<T>(kind, options);
  }

  serves(kind: KindRef): Promise<boolean> {
    return this.client.serves(kind);
  }

  serverVersion(): Promise<string> {
    return this.client.serverVersion();
  }

  actingAs(user: Readonly<{ user: string; groups?: readonly string[] }>): KubeClient {
    return this.client.actingAs(user);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  async #write<T extends KubernetesObject>(
    from: KubernetesObject | undefined,
    write: () => Promise<Written<T>>,
  ): Promise<Written<T>> {
    this.#check();
    try {
      const written = await write();
      this.cache.noteWritten(written.object);
      return written;
    } catch (error) {
      const isBehind = from !== undefined && KubeApiError.is(error, 'Conflict', 'AlreadyExists');
      if (isBehind) {
        const { apiVersion, kind, metadata } = from;
        const ref = { apiVersion, kind, name: metadata.name ?? '', namespace: metadata.namespace };
        const seen = this.cache.get(ref)?.found?.metadata.resourceVersion ?? '';
        this.#stale.set(keyOf(ref), seen);
      }
      throw error;
    }
  }

  #check(): void {
    if (!this.mayWrite()) throw new NotLeading('another process decides rollouts: nothing was written');
  }
}

const keyOf = ({ kind, namespace = '', name }: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): string =>
  `${kind}/${namespace}/${name}`;
