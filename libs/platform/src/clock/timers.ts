import type { Clock } from './clock.port.js';

/** The timers of one part of a process: after {@link stop} none of them fires, and none is set. */
export class Timers {
  readonly #cancels = new Set<() => void>();
  #stopped = false;

  constructor(private readonly clock: Clock) {}

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Returns a function that cancels the timer. */
  after(delayMs: number, run: () => void): () => void {
    if (this.#stopped) return () => undefined;
    const cancel = this.clock.after(delayMs, () => {
      this.#cancels.delete(cancel);
      run();
    });
    this.#cancels.add(cancel);
    return () => {
      if (this.#cancels.delete(cancel)) cancel();
    };
  }

  /** The first time after one pause. */
  every(pauseMs: number, run: () => void): void {
    this.after(pauseMs, () => {
      run();
      this.every(pauseMs, run);
    });
  }

  /**
   * Like {@link after}, but repeats after each pause, in milliseconds, that `run` resolves to. `run` never
   * rejects.
   */
  repeat(delayMs: number, run: () => Promise<number>): void {
    this.after(delayMs, () => void run().then((againAfterMs) => this.repeat(againAfterMs, run)));
  }

  /** Has `cancel` called at the stop, or at once after it. */
  add(cancel: () => void): void {
    if (this.#stopped) cancel();
    else this.#cancels.add(cancel);
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
