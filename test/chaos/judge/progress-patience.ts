/** So many times its patience a wait may last in all: what goes round in circles moves, too. */
const AT_MOST = 4;

/**
 * The patience of a wait that begins anew whenever something has moved: on a busy machine all takes longer,
 * and what hangs stands still on any.
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

  /** `state`: of what is waited for, as it is now. */
  lasts(state: string, now: number): boolean {
    if (state !== this.#seen) this.#movedAt = now;
    this.#seen = state;
    return this.stillFor(now) < this.patienceMs && now - this.#begunAt < AT_MOST * this.patienceMs;
  }

  /** How long nothing has moved. */
  stillFor(now: number): number {
    return now - this.#movedAt;
  }
}
