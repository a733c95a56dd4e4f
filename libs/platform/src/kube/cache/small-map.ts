/** Most entries of a list; a Map of as many takes more than twice its memory. */
const FEW = 32;

/**
 * A Map of strings that takes little memory while it has few entries: a fleet has tens of thousands of them,
 * with some twenty entries each.
 */
export class SmallMap<V> {
  /** Keys and values in turns, without room to grow. */
  #few: readonly (string | V)[] | undefined = [];
  #many: Map<string, V> | undefined;

  constructor(entries: Iterable<readonly [string, V]> = []) {
    for (const [key, value] of entries) this.set(key, value);
  }

  get size(): number {
    return this.#many?.size ?? (this.#few?.length ?? 0) / 2;
  }

  get(key: string): V | undefined {
    if (this.#many !== undefined) return this.#many.get(key);
    const at = this.#indexOf(key);
    return at < 0 ? undefined : (this.#few?.[at + 1] as V);
  }

  set(key: string, value: V): void {
    const few = this.#few;
    if (few === undefined) {
      this.#many?.set(key, value);
      return;
    }
    const at = this.#indexOf(key);
    if (at >= 0) this.#few = few.with(at + 1, value);
    else if (few.length < 2 * FEW) this.#few = few.concat([key, value]);
    else {
      this.#many = new Map(this.entries());
      this.#few = undefined;
      this.#many.set(key, value);
    }
  }

  /** Deletes the key. Returns true if it was there. */
  delete(key: string): boolean {
    if (this.#many !== undefined) return this.#many.delete(key);
    const at = this.#indexOf(key);
    if (at >= 0) this.#few = this.#few?.toSpliced(at, 2);
    return at >= 0;
  }

  keys(): string[] {
    return this.entries().map(([key]) => key);
  }

  entries(): (readonly [string, V])[] {
    if (this.#many !== undefined) return [...this.#many];
    const few = this.#few ?? [];
    return Array.from({ length: few.length / 2 }, (_, n) => [few[2 * n] as string, few[2 * n + 1] as V] as const);
  }

  #indexOf(key: string): number {
    const few = this.#few ?? [];
    for (let at = 0; at < few.length; at += 2) if (few[at] === key) return at;
    return -1;
  }
}
