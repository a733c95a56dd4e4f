import { type Owner, ownerKey } from './owner.js';

/** How much may be under way at the same time. */
export type Bounds = Readonly<{ total: number; perCluster: number; perNamespace: number }>;

type Lane<T> = Set<T>;

/**
 * A queue with turns: one cluster after the other, within a cluster one namespace after the other, within a
 * namespace in the order of arrival. A new cluster or namespace waits for one round, however much the others
 * have queued. Running work is bounded in all, per cluster and per namespace; an owner at its bound is
 * skipped. An item may wait for several owners. It is taken at the first turn of any of them, and charged to
 * that one. The order depends on the calls alone: no clock, no chance.
 */
export class FairQueue<T> {
  /** The first cluster has the next turn: Maps keep the order in which keys were set. */
  readonly #clusters = new Map<string, Map<string, Lane<T>>>();
  readonly #owners = new Map<T, Map<string, Owner>>();
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(private readonly bounds: Bounds) {}

  /** Items that wait. */
  get waiting(): number {
    return this.#owners.size;
  }

  /** Items that were taken and not released. */
  get running(): number {
    return this.#total;
  }

  /** Waits for `owner`, too; a second time changes nothing. */
  add(item: T, owner: Owner): void {
    const owners = this.#owners.get(item) ?? new Map<string, Owner>();
    this.#owners.set(item, owners);
    owners.set(ownerKey(owner), owner);
    const cluster = this.#clusters.get(owner.cluster) ?? new Map<string, Lane<T>>();
    this.#clusters.set(owner.cluster, cluster);
    const lane = cluster.get(owner.namespace) ?? new Set<T>();
    cluster.set(owner.namespace, lane.add(item));
  }

  /** Ends the wait of `owner`; without a name, the wait of every owner. */
  withdraw(item: T, owner?: Owner): void {
    const owners = this.#owners.get(item);
    if (owners === undefined) return;
    for (const one of owner === undefined ? [...owners.values()] : [owner]) {
      owners.delete(ownerKey(one));
      this.#leave(item, one);
    }
    if (owners.size === 0) this.#owners.delete(item);
  }

  /**
   * Takes the next item, with the owner that is charged for it. Returns undefined if all items wait for
   * owners at their bounds.
   */
  take(): Readonly<{ item: T; owner: Owner }> | undefined {
    if (this.#total >= this.bounds.total) return undefined;
    for (const [cluster, namespaces] of this.#clusters) {
      for (const [namespace, lane] of namespaces) {
        const owner = { cluster, namespace };
        const [item] = lane;
        if (item === undefined || !this.#mayRun(owner)) continue;
        this.#rotate(owner);
        this.withdraw(item);
        this.#count(owner, 1);
        return { item, owner };
      }
    }
    return undefined;
  }

  /** Charges an item that does not wait, if the owner is within its bounds and nothing waits. */
  takeAtOnce(owner: Owner): boolean {
    if (this.waiting > 0 || this.#total >= this.bounds.total || !this.#mayRun(owner)) return false;
    this.#count(owner, 1);
    return true;
  }

  /** Releases the place of one item of this owner that has ended. */
  release(owner: Owner): void {
    this.#count(owner, -1);
  }

  #mayRun(owner: Owner): boolean {
    const { perCluster, perNamespace } = this.bounds;
    return this.#runs(owner.cluster) < perCluster && this.#runs(ownerKey(owner)) < perNamespace;
  }

  #runs(key: string): number {
    return this.#running.get(key) ?? 0;
  }

  #count(owner: Owner, by: 1 | -1): void {
    this.#total += by;
    for (const key of [owner.cluster, ownerKey(owner)]) {
      const count = this.#runs(key) + by;
      if (count === 0) this.#running.delete(key);
      else this.#running.set(key, count);
    }
  }

  /** Ends the turn of an owner: moves it behind all others. */
  #rotate({ cluster, namespace }: Owner): void {
    const namespaces = this.#clusters.get(cluster);
    const lane = namespaces?.get(namespace);
    if (namespaces === undefined || lane === undefined) return;
    this.#clusters.delete(cluster);
    this.#clusters.set(cluster, namespaces);
    namespaces.delete(namespace);
    namespaces.set(namespace, lane);
  }

  #leave(item: T, { cluster, namespace }: Owner): void {
    const namespaces = this.#clusters.get(cluster);
    const lane = namespaces?.get(namespace);
    lane?.delete(item);
    if (lane?.size === 0) namespaces?.delete(namespace);
    if (namespaces?.size === 0) this.#clusters.delete(cluster);
  }
}
