import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import {
  type ClusterLogin,
  type KindRef,
  KubeClient,
  type ListReading,
  type WatchOptions,
} from '../kube/client/kube-client.port.js';
import type { ServerHistory } from '../kube/client/watch-history.js';
import type { ReadBudget } from '../kube/limits/read-budget.js';
import type { ClusterWrites } from './cluster-writes.js';

type Parameter<Method extends 'create' | 'update' | 'apply' | 'patch' | 'delete'> = Parameters<KubeClient[Method]>;

const REVIEWS = 'authorization.k8s.io/v1';

/** Reads as the client it is made from; writes only while {@link ClusterWrites} allows it. */
export class GuardedClient extends KubeClient {
  readonly cluster: string;
  readonly budget: ReadBudget;
  override readonly history: ServerHistory | undefined;
  override readonly globalCatalogNamespace: string | undefined;
  override readonly login: ClusterLogin | undefined;

  constructor(
    private readonly client: KubeClient,
    private readonly writes: ClusterWrites,
  ) {
    super();
    this.cluster = client.cluster;
    this.budget = client.budget;
    this.history = client.history;
    this.globalCatalogNamespace = client.globalCatalogNamespace;
    this.login = client.login;
  }

  get<T extends KubernetesObject>(ref: ObjectRef) {
    return this.client.get<T>(ref);
  }

  list<T extends KubernetesObject>(kind: KindRef, options?: ListReading<T>) {
    return this.client.list<T>(kind, options);
  }

  create<T extends KubernetesObject>(object: T, options?: Parameter<'create'>[1]) {
    // A review asks for the permissions of a user. It is created, but stored nowhere.
    if (object.apiVersion === REVIEWS) return this.client.create(object, options);
    return this.writes.run(() => this.client.create(object, options));
  }

  update<T extends KubernetesObject>(object: T, options?: Parameter<'update'>[1]) {
    return this.writes.run(() => this.client.update(object, options));
  }

  updateStatus<T extends KubernetesObject>(object: T) {
    return this.writes.run(() => this.client.updateStatus(object));
  }

  apply<T extends KubernetesObject>(object: T, options?: Parameter<'apply'>[1]) {
    return this.writes.run(() => this.client.apply(object, options));
  }

  patch<T extends KubernetesObject>(ref: ObjectRef, patch: Parameter<'patch'>[1], options?: Parameter<'patch'>[2]) {
    return this.writes.run(() => this.client.patch<T>(ref, patch, options));
  }

  delete(ref: ObjectRef, options?: Parameter<'delete'>[1]) {
    return this.writes.run(() => this.client.delete(ref, options));
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

  override hurried<T>(work: () => Promise<T>) {
    return this.client.hurried(work);
  }

  actingAs(user: Parameters<KubeClient['actingAs']>[0]): KubeClient {
    return new GuardedClient(this.client.actingAs(user), this.writes);
  }

  close() {
    return this.client.close();
  }
}
