import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import {
  type ClusterLogin,
  type KindRef,
  KubeClient,
  type ListReading,
  type TokenQuestion,
  type WatchedEvents,
  type WatchOptions,
} from '../kube/client/kube-client.port.js';
import type { ServerHistory } from '../kube/client/watch-history.js';
import type { ReadBudget } from '../kube/limits/read-budget.js';

type Parameter<Method extends 'create' | 'update' | 'apply' | 'patch' | 'delete'> = Parameters<KubeClient[Method]>;
type User = Parameters<KubeClient['actingAs']>[0];

/** How long requests that are under way with an old login may take to end. */
const DRAINED_WITHIN_MS = 20_000;

/** The client of one login. Its watches end when the next login comes, and it ends with its last request. */
class Generation {
  readonly #ending = new AbortController();
  #underWay = 0;
  #onIdle: () => void = () => undefined;

  constructor(readonly client: KubeClient) {}

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onIdle();
    }
  }

  async end(withinMs: number): Promise<void> {
    this.#ending.abort();
    if (this.#underWay > 0) await this.#idle(withinMs);
    await this.client.close();
  }

  async #idle(withinMs: number): Promise<void> {
    const idle = Promise.withResolvers<void>();
    this.#onIdle = idle.resolve;
    const timer = setTimeout(idle.resolve, withinMs);
    await idle.promise;
    clearTimeout(timer);
  }
}

/** One after the other, the generations of one cluster's client. */
type Line = { current: Generation };

/**
 * A client with an address and a login that may be replaced while it is used. Requests under way end with the
 * old ones. Watches end and are opened again with the new ones.
 */
export class RenewableClient extends KubeClient {
  readonly cluster: string;
  readonly budget: ReadBudget;
  override readonly history: ServerHistory | undefined;
  override readonly globalCatalogNamespace: string | undefined;
  override readonly login: ClusterLogin | undefined;
  readonly #line: Line;
  readonly #users: readonly User[];

  constructor(first: KubeClient, acting?: Readonly<{ line: Line; users: readonly User[] }>) {
    super();
    this.cluster = first.cluster;
    this.budget = first.budget;
    this.history = first.history;
    this.globalCatalogNamespace = first.globalCatalogNamespace;
    this.login = first.login;
    this.#line = acting?.line ?? { current: new Generation(first) };
    this.#users = acting?.users ?? [];
  }

  /** Uses `next` from now on. Resolves once the client before it has ended. */
  async renew(next: KubeClient): Promise<void> {
    const old = this.#line.current;
    this.#line.current = new Generation(next);
    await old.end(DRAINED_WITHIN_MS);
  }

  get<T extends KubernetesObject>(ref: ObjectRef) {
    return this.#run((client) => client.get<T>(ref));
  }

  list<T extends KubernetesObject>(kind: KindRef, options?: ListReading<T>) {
    return this.#run((client) => client.list<T>(kind, options));
  }

  create<T extends KubernetesObject>(object: T, options?: Parameter<'create'>[1]) {
    return this.#run((client) => client.create(object, options));
  }

  update<T extends KubernetesObject>(object: T, options?: Parameter<'update'>[1]) {
    return this.#run((client) => client.update(object, options));
  }

  updateStatus<T extends KubernetesObject>(object: T) {
    return this.#run((client) => client.updateStatus(object));
  }

  apply<T extends KubernetesObject>(object: T, options?: Parameter<'apply'>[1]) {
    return this.#run((client) => client.apply(object, options));
  }

  patch<T extends KubernetesObject>(ref: ObjectRef, patch: Parameter<'patch'>[1], options?: Parameter<'patch'>[2]) {
    return this.#run((client) => client.patch<T>(ref, patch, options));
  }

  delete(ref: ObjectRef, options?: Parameter<'delete'>[1]) {
    return this.#run((client) => client.delete(ref, options));
  }

  /** Ends without an error when the login is replaced, as when the server ends it. */
  watch<T extends KubernetesObject>(kind: KindRef, options: WatchOptions): WatchedEvents<T> {
    const { current } = this.#line;
    return this.#as(current).watch<T>(kind, { ...options, until: current.signal });
  }

  serves(kind: KindRef) {
    return this.#run((client) => client.serves(kind));
  }

  serverVersion() {
    return this.#run((client) => client.serverVersion());
  }

  override serverTime() {
    return this.#run((client) => client.serverTime());
  }

  override requestToken(asked: TokenQuestion) {
    return this.#run((client) => client.requestToken(asked));
  }

  override hurried<T>(work: () => Promise<T>) {
    return this.#line.current.client.hurried(work);
  }

  actingAs(user: User): KubeClient {
    return new RenewableClient(this, { line: this.#line, users: [...this.#users, user] });
  }

  /** Ends the cluster's connections; on a client that acts as another user it does nothing. */
  async close(): Promise<void> {
    if (this.#users.length === 0) await this.#line.current.end(0);
  }

  #run<T>(work: (client: KubeClient) => Promise<T>): Promise<T> {
    const { current } = this.#line;
    return current.run(() => work(this.#as(current)));
  }

  #as({ client }: Generation): KubeClient {
    return this.#users.reduce<KubeClient>((acting, user) => acting.actingAs(user), client);
  }
}
