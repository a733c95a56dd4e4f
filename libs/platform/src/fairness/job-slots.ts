/** At most so many jobs at once, over all parts of a queue; those that wait begin in the order of arrival. */
export class JobSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  /**
   * Does the work once there is a slot. Rejects, without having begun, once the signal is aborted. By calling
   * `leave` the work gives its slot to the next before it ends.
   */
  async run<T>(signal: AbortSignal, work: (leave: () => void) => Promise<T>): Promise<T> {
    await this.#enter(signal);
    let held = true;
    const leave = () => {
      if (held) this.#leave();
      held = false;
    };
    try {
      return await work(leave);
    } finally {
      leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    const end = () => {
      this.#waiting.delete(enter);
      reject(signal.reason);
    };
    this.#waiting.add(enter);
    signal.addEventListener('abort', end, { once: true });
    await promise;
  }

  /** Gives the slot to the job that has waited longest. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
