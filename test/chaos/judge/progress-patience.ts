/** Limit of a wait, as a multiple of its patience: work that goes in circles moves, too. */
const AT_MOST = 4;

/**
 * The patience of a wait. It starts again whenever something moves: on a busy machine everything takes
 * longer, and hung work stands still on any machine.
 */
export class ProgressPatience {
  readonly #begunAt: number;
  #movedAt: number;
  #seen: string | undefined;

  /** Times in milliseconds of one clock. */
  constructor(
    private readonly patienceMs: number,
    now: number,
  ) {
    this.#begunAt = now;
    this.#movedAt = now;
  }

  /** `state`: the present state of the awaited object. */
  lasts(state: string, now: number): boolean {
    if (state !== this.#seen) this.#movedAt = now;
    this.#seen = state;
    return this.stillFor(now) < this.patienceMs && now - this.#begunAt < AT_MOST * this.patienceMs;
  }

  /** Returns the time without any motion. */
  stillFor(now: number): number {
    return now - this.#movedAt;
  }
}
