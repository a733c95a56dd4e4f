/** Draws that depend on the seed alone: the same seed, the same draws in the same order. */
export class SeededDraws {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, without, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number; both ends can be drawn. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** @throws RangeError if there is nothing to draw from */
  oneOf<T>(items: readonly T[]): T {
    const [drawn] = items.slice(this.between(0, items.length - 1)).slice(0, 1);
    if (drawn === undefined) throw new RangeError('there is nothing to draw from');
    return drawn;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    return items.flatMap(() => rest.splice(this.between(0, rest.length - 1), 1));
  }
}
