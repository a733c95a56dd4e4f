/** Bytes that came so far of one listing. */
export type Received = { bytes: number };

/** Bytes of all current listings, except the first. */
const OTHERS_BYTES = 128 * 2 ** 20;

/**
 * Bounds the memory of simultaneous listings. Answers of registry servers stay in the memory of the process
 * until records are made of them. The listing that began first never waits. The others wait as long as they
 * hold more than their part together.
 */
export class ListingBudget {
  readonly #underWay = new Set<Received>();
  readonly #waiting = new Set<() => void>();

  constructor(private readonly othersBytes = OTHERS_BYTES) {}

  begin(): Received {
    const listing = { bytes: 0 };
    this.#underWay.add(listing);
    return listing;
  }

  end(listing: Received): void {
    this.#underWay.delete(listing);
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves once the listing may take more; undefined if it may now. Rejects if the signal is aborted. */
  room(listing: Received, signal: AbortSignal): Promise<void> | undefined {
    return this.#hasRoom(listing) ? undefined : this.#wait(listing, signal);
  }

  #hasRoom(listing: Received): boolean {
    const [first, ...others] = this.#underWay;
    return listing === first || others.reduce((sum, { bytes }) => sum + bytes, 0) <= this.othersBytes;
  }

  async #wait(listing: Received, signal: AbortSignal): Promise<void> {
    while (!this.#hasRoom(listing)) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      this.#waiting.delete(resolve);
    }
  }
}
