/** Needs of a connection, the nearest first: passes and writes; reads; watches and their lists. */
const NEEDS = ['pass', 'read', 'watch'] as const;
export type ConnectionNeed = (typeof NEEDS)[number];

/** The needs that wait for the connections of one cluster now. */
export class ConnectionNeeds {
  readonly #counts = new Map<ConnectionNeed, number>();

  /** The need counts until the work is done. */
  async during<T>(need: ConnectionNeed, work: () => Promise<T>): Promise<T> {
    this.#count(need, 1);
    try {
      return await work();
    } finally {
      this.#count(need, -1);
    }
  }

  /** The place of the nearest need in the order of needs: 0 comes first. */
  get nearest(): number {
    const place = NEEDS.findIndex((need) => (this.#counts.get(need) ?? 0) > 0);
    return place < 0 ? NEEDS.length : place;
  }

  #count(need: ConnectionNeed, by: 1 | -1): void {
    this.#counts.set(need, (this.#counts.get(need) ?? 0) + by);
  }
}
