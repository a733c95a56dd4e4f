import { type Owner, ownerKey } from './owner.js';

type Account = { readonly owner: Owner; bytes: number };

/**
 * Counts the bytes that running work holds, within a limit. If they do not fit, work must be aborted. The
 * victim is the largest work of the largest namespace in the largest cluster, by bytes held. Many small
 * pieces of other users are never aborted for one large user.
 */
export class ByteLedger<T> {
  readonly #accounts = new Map<T, Account>();
  #total = 0;

  constructor(private readonly limit: number) {}

  get total(): number {
    return this.#total;
  }

  open(item: T, owner: Owner): void {
    this.#accounts.set(item, { owner, bytes: 0 });
  }

  close(item: T): void {
    this.#total -= this.#accounts.get(item)?.bytes ?? 0;
    this.#accounts.delete(item);
  }

  /**
   * Adds bytes (or takes away, below 0). Gives the work that must be aborted; the
   * ledger has dropped it already.
   */
  add(item: T, bytes: number): readonly T[] {
    const account = this.#accounts.get(item);
    if (account === undefined) return [];
    account.bytes += bytes;
    this.#total += bytes;
    const victims: T[] = [];
    while (this.#total > this.limit) {
      const victim = this.#largest();
      if (victim === undefined) break;
      victims.push(victim);
      this.close(victim);
    }
    return victims;
  }

  #largest(): T | undefined {
    const cluster = largestOf(this.#sums(({ cluster }) => cluster));
    const inCluster = (owner: Owner) => (owner.cluster === cluster ? ownerKey(owner) : undefined);
    const namespace = largestOf(this.#sums(inCluster));
    const items = [...this.#accounts].filter(([, { owner }]) => ownerKey(owner) === namespace);
    return largestOf(new Map(items.map(([item, { bytes }]) => [item, bytes])));
  }

  #sums(keyOf: (owner: Owner) => string | undefined): Map<string, number> {
    const sums = new Map<string, number>();
    for (const { owner, bytes } of this.#accounts.values()) {
      const key = keyOf(owner);
      if (key !== undefined) sums.set(key, (sums.get(key) ?? 0) + bytes);
    }
    return sums;
  }
}

/** Returns the key of the largest value. Of equal values the last, and so the latest, counts. */
function largestOf<K>(values: ReadonlyMap<K, number>): K | undefined {
  let largest: Readonly<{ key: K; value: number }> | undefined;
  for (const [key, value] of values) if (largest === undefined || value >= largest.value) largest = { key, value };
  return largest?.key;
}
