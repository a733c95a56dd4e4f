/** Most lists in flight at once: enough for clusters that answer after a tenth of a second. */
const MOST_AT_ONCE = 64;
/** An answer that takes longer waits for its cluster, not for this process. */
const SLOW_MS = 2_000;

/**
 * Reads the pages of lists in turns, in the order of arrival. When a process starts, all kinds of all
 * clusters are listed; answers that wait to be parsed would take most of its memory. A cluster that does
 * not answer gives its place to the next one after two seconds.
 */
export class ListTurns {
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(
    private readonly mostAtOnce = MOST_AT_ONCE,
    private readonly slowMs = SLOW_MS,
  ) {}

  async run<T>(read: () => Promise<T>): Promise<T> {
    if (this.#taken < this.mostAtOnce) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#waiting.add(resolve));
    let held = true;
    const leave = () => {
      if (!held) return;
      held = false;
      this.#next();
    };
    const timer = setTimeout(leave, this.slowMs).unref();
    try {
      return await read();
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  /** Hands the turn on, or ends it. */
  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** The turns of this process. */
export const LIST_TURNS = new ListTurns();
