/** A pass holds a worker of its queue: longer work continues without the pass. */
const PASS_MS = 3_000;

/**
 * Longest time of one pass for work that continues without it: for all such work together, not for each
 * piece.
 */
export class Patience {
  #leftMs: number;

  constructor(ms = PASS_MS) {
    this.#leftMs = ms;
  }

  /** Patience of a caller that holds nothing for others. */
  static endless(): Patience {
    return new Patience(Number.POSITIVE_INFINITY);
  }

  /**
   * Waits for the work. Returns undefined if it is not done in time. Returns finished work even when no time
   * is left.
   */
  async wait<T>(work: Promise<T>): Promise<Readonly<{ value: T }> | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const begun = performance.now();
    const timer = Number.isFinite(this.#leftMs) ? setTimeout(() => resolve(undefined), this.#leftMs) : undefined;
    try {
      return await Promise.race([work.then((value) => ({ value })), late]);
    } finally {
      clearTimeout(timer);
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - begun));
    }
  }
}
