import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Excess } from '#core/kernel/read-budget/read-limits';
import type { KubeApiError } from '../client/kube-client.port.js';
import { listKey } from '../client/list-key.js';
import type { ObjectStore } from './object-store.js';
import type { ReflectorOptions } from './reflector-options.js';

/** The memory of one store, as part of the cluster's budget. */
export class StoreCharge<T extends KubernetesObject> {
  #charged = 0;

  constructor(
    private readonly options: Pick<ReflectorOptions<T>, 'client' | 'kind' | 'options'>,
    private readonly store: ObjectStore<T>,
    private readonly keep: (object: T) => T,
  ) {}

  /**
   * The items of a list by name, if the budget of the cluster has room for them.
   * @throws KubeApiError of reason TooLarge
   */
  fitting(items: readonly T[]): ObjectStore<T> {
    const present = this.store.empty();
    for (const item of items) present.set(item);
    const { budget } = this.options.client;
    const excess = budget.keep(present.bytes, this.#charged);
    if (excess !== undefined) throw this.#exceeded(excess);
    this.#charged = present.bytes;
    return present;
  }

  /** @throws KubeApiError of reason TooLarge if the budget of the cluster has no room for the object */
  makeRoom(object: T): void {
    const { budget } = this.options.client;
    const isNew = this.store.get(object.metadata) === undefined;
    if (isNew && this.store.size >= budget.limits.objects) throw this.#exceeded('objects');
    const after = this.store.bytesWith(object);
    const excess = budget.keep(after, this.#charged);
    if (excess !== undefined) throw this.#exceeded(excess);
    this.#charged = after;
  }

  /** Charges the current bytes of the store: it may have lost an object, or be empty. */
  update(): void {
    this.options.client.budget.keep(this.store.bytes, this.#charged);
    this.#charged = this.store.bytes;
  }

  release(): void {
    this.options.client.budget.keep(0, this.#charged);
    this.#charged = 0;
  }

  #exceeded(excess: Excess): KubeApiError {
    const { client, kind, options = {} } = this.options;
    return client.budget.exceed(listKey({ resource: kind, options, keep: this.keep }), kind.kind, excess);
  }
}
