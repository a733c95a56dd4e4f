import { type KubernetesObject, type ObjectRef, refOf } from '#core/kernel/api/kubernetes-object';
import {
  type ClusterLogin,
  type KindRef,
  KubeApiError,
  KubeClient,
  type ListReading,
  type WatchOptions,
  type Written,
} from '#platform/kube/client/kube-client.port';
import type { ServerHistory } from '#platform/kube/client/watch-history';
import type { ReadBudget } from '#platform/kube/limits/read-budget';
import { type ClusterReads, PassReader } from './pass-reader.js';

type Parameter<Method extends 'create' | 'update' | 'apply' | 'patch' | 'delete'> = Parameters<KubeClient[Method]>;

/**
 * The client of one pass. It reads each object once, from the cache of the cluster if that has it. Its own
 * writes are visible to later reads. After a failed write the object is read from the API server. Cached
 * objects come without `metadata.managedFields`, lists without a version.
 */
export class PassClient extends KubeClient {
  readonly cluster: string;
  readonly budget: ReadBudget;
  override readonly history: ServerHistory | undefined;
  override readonly globalCatalogNamespace: string | undefined;
  override readonly login: ClusterLogin | undefined;
  readonly #reader: PassReader;

  constructor(
    private readonly client: KubeClient,
    reads: ClusterReads,
  ) {
    super();
    this.#reader = new PassReader(reads);
    this.cluster = client.cluster;
    this.budget = client.budget;
    this.history = client.history;
    this.globalCatalogNamespace = client.globalCatalogNamespace;
    this.login = client.login;
  }

  get<T extends KubernetesObject>(ref: ObjectRef) {
    return this.#reader.get<T>(ref);
  }

  async list<T extends KubernetesObject>(kind: KindRef, { keep = (item) => item, ...options }: ListReading<T> = {}) {
    const items = await this.#reader.list<T>(kind, options);
    return { items: items.map(keep), resourceVersion: '' };
  }

  create<T extends KubernetesObject>(object: T, options?: Parameter<'create'>[1]) {
    return this.#noted(object.kind, () => this.client.create(object, options), options);
  }

  update<T extends KubernetesObject>(object: T, options?: Parameter<'update'>[1]) {
    return this.#noted(object.kind, () => this.client.update(object, options), options);
  }

  updateStatus<T extends KubernetesObject>(object: T) {
    return this.#noted(object.kind, () => this.client.updateStatus(object));
  }

  apply<T extends KubernetesObject>(object: T, options?: Parameter<'apply'>[1]) {
    return this.#noted(object.kind, () => this.client.apply(object, options), options);
  }

  patch<T extends KubernetesObject>(ref: ObjectRef, patch: Parameter<'patch'>[1], options?: Parameter<'patch'>[2]) {
    return this.#noted(ref.kind, () => this.client.patch<T>(ref, patch, options), options);
  }

  async delete(ref: ObjectRef, options?: Parameter<'delete'>[1]) {
    this.#requireCurrent();
    // Finalizers may keep the object, and its dependents may go with it.
    this.#reader.doubt(ref.kind);
    return this.client.delete(ref, options);
  }

  watch<T extends KubernetesObject>(kind: KindRef, options: WatchOptions) {
    return this.client.watch<T>(kind, options);
  }

  serves(kind: KindRef) {
    return this.client.serves(kind);
  }

  serverVersion() {
    return this.client.serverVersion();
  }

  override serverTime() {
    return this.client.serverTime();
  }

  override hurried<T>(work: () => Promise<T>) {
    return this.client.hurried(work);
  }

  actingAs(user: Parameters<KubeClient['actingAs']>[0]): KubeClient {
    return this.client.actingAs(user);
  }

  async close(): Promise<void> {
    // The client belongs to the cluster, and outlasts the pass.
  }

  /**
   * @throws KubeApiError of reason Conflict if the objects read belong to another history of the API server
   */
  #requireCurrent(): void {
    if (!this.#reader.isOutdated) return;
    this.#reader.doubtAll();
    const text = `cluster "${this.cluster}": its API server went back, as after a restore: it is read again`;
    throw new KubeApiError(this.cluster, 409, 'Conflict', text);
  }

  async #noted<T extends KubernetesObject>(
    kind: string,
    write: () => Promise<Written<T>>,
    { dryRun = false }: Readonly<{ dryRun?: boolean }> = {},
  ): Promise<Written<T>> {
    this.#requireCurrent();
    try {
      const answer = await write();
      if (!dryRun) this.#reader.noteWritten(named(answer.object, kind));
      return answer;
    } catch (error) {
      this.#reader.doubt(kind);
      throw error;
    }
  }
}

/** Sets the kind of an object, since objects are known by their kind: not every answer names it. */
const named = <T extends KubernetesObject>(object: T, kind: string): T =>
  refOf(object).kind === kind ? object : { ...object, kind };
