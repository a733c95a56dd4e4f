/** The bytes that one holder of a share has taken. */
export type BytesShare = Readonly<{
  /** Takes `bytes` in place of `before`. Returns false and takes nothing if the budget does not allow it. */
  take: (bytes: number, before: number) => boolean;
  /** Gives all of it back; the others share the whole without this one. */
  leave: () => void;
}>;

/**
 * Bytes shared by several holders. One half is divided equally: each holder may always take its part of it.
 * The other half is for those that need more, in the order in which they ask. So all together never exceed
 * the whole, and a holder within its part is never refused because of others.
 */
export class SharedBytes {
  readonly #taken = new Set<{ bytes: number }>();
  #total = 0;

  constructor(readonly limit: number) {}

  /** Returns the bytes that all holders have taken. */
  get total(): number {
    return this.#total;
  }

  join(): BytesShare {
    const mine = { bytes: 0 };
    this.#taken.add(mine);
    return {
      take: (bytes, before) => {
        if (!this.#taken.has(mine)) return true; // it has left, and what it still holds is about to go
        const after = mine.bytes + bytes - before;
        if (bytes > before && !this.#allows(mine, after)) return false;
        this.#total += after - mine.bytes;
        mine.bytes = after;
        return true;
      },
      leave: () => {
        if (this.#taken.delete(mine)) this.#total -= mine.bytes;
      },
    };
  }

  #allows(mine: Readonly<{ bytes: number }>, after: number): boolean {
    const half = this.limit / 2;
    const part = half / this.#taken.size;
    if (after <= part || this.#total - mine.bytes + after <= half) return true;
    let beyond = after - part;
    for (const one of this.#taken) if (one !== mine) beyond += Math.max(0, one.bytes - part);
    return beyond <= half;
  }
}
