import { type KubernetesObject, type ObjectRef, refOf } from '#core/kernel/api/kubernetes-object';
import {
  type ClusterLogin,
  type KindRef,
  KubeApiError,
  KubeClient,
  type KubernetesList,
  type ListReading,
  type WatchedEvents,
  type WatchOptions,
  type WriteOptions,
  type Written,
} from '#platform/kube/client/kube-client.port';
import type { ReadBudget } from '#platform/kube/limits/read-budget';

/** A requested write that was not done. `change` is the object or patch; `as` is its author. */
export type RecordedWrite = Readonly<{
  verb: 'create' | 'update' | 'updateStatus' | 'apply' | 'patch' | 'delete';
  ref: ObjectRef;
  change?: unknown;
  as?: string;
}>;

/** Reads a cluster and records the writes to it. Answers writes as if they had been done. */
export class RecordingClient extends KubeClient {
  readonly cluster: string;
  readonly budget: ReadBudget;
  override readonly globalCatalogNamespace: string | undefined;
  override readonly login: ClusterLogin | undefined;

  constructor(
    private readonly client: KubeClient,
    readonly writes: RecordedWrite[] = [],
    private readonly as?: string,
  ) {
    super();
    this.cluster = client.cluster;
    this.budget = client.budget;
    this.globalCatalogNamespace = client.globalCatalogNamespace;
    this.login = client.login;
  }

  get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined> {
    return this.client.get(ref);
  }

  list<T extends KubernetesObject>(kind: KindRef, options?: ListReading<T>): Promise<KubernetesList<T> | undefined> {
    return this.client.list(kind, options);
  }

  /** A dry run stores nothing, so the cluster itself answers it. */
  create<T extends KubernetesObject>(object: T, options: WriteOptions = {}): Promise<Written<T>> {
    if (options.dryRun) return this.client.create(object, options);
    return this.#asWritten('create', object);
  }

  update<T extends KubernetesObject>(object: T, options: WriteOptions = {}): Promise<Written<T>> {
    if (options.dryRun) return this.client.update(object, options);
    return this.#asWritten('update', object);
  }

  updateStatus<T extends KubernetesObject>(object: T): Promise<Written<T>> {
    return this.#asWritten('updateStatus', object);
  }

  apply<T extends KubernetesObject>(object: T): Promise<Written<T>> {
    return this.#asWritten('apply', object);
  }

  async patch<T extends KubernetesObject>(ref: ObjectRef, patch: Readonly<Record<string, unknown>>) {
    this.#note('patch', ref, patch);
    const live = await this.client.get<T>(ref);
    if (live !== undefined) return { object: changed(live), warnings: [] };
    throw new KubeApiError(this.cluster, 404, 'NotFound', `${ref.kind} ${ref.name} is not there to be patched`);
  }

  async delete(ref: ObjectRef): Promise<boolean> {
    this.#note('delete', ref);
    return true;
  }

  watch<T extends KubernetesObject>(kind: KindRef, options: WatchOptions): WatchedEvents<T> {
    return this.client.watch(kind, options);
  }

  serves(kind: KindRef): Promise<boolean> {
    return this.client.serves(kind);
  }

  serverVersion(): Promise<string> {
    return this.client.serverVersion();
  }

  /** Reads keep this person's own rights; only the name of the writer is noted. */
  actingAs({ user }: Readonly<{ user: string }>): KubeClient {
    return new RecordingClient(this.client, this.writes, user);
  }

  async close(): Promise<void> {
    // The client that is read through belongs to the caller.
  }

  async #asWritten<T extends KubernetesObject>(verb: RecordedWrite['verb'], object: T): Promise<Written<T>> {
    this.#note(verb, refOf(object), object);
    return { object: changed(object), warnings: [] };
  }

  #note(verb: RecordedWrite['verb'], ref: ObjectRef, change?: unknown): void {
    const by = this.as === undefined ? {} : { as: this.as };
    this.writes.push({ verb, ref, ...(change === undefined ? {} : { change }), ...by });
  }
}

/**
 * Returns the object with another resourceVersion: callers that compare versions see that something was
 * written.
 */
const changed = <T extends KubernetesObject>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: `${object.metadata.resourceVersion ?? ''}+` },
});
