import { Clock } from './clock.port.js';

type Timer = { dueMs: number; readonly order: number; readonly callback: () => void };

/** A clock that stands still until a test moves it. */
export class ManualClock extends Clock {
  #nowMs: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(start: Date | string = '2026-01-01T00:00:00Z') {
    super();
    this.#nowMs = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /**
   * Moves time on. Timers fire in the order of their due time, and the work that they start runs in between.
   */
  async advance(byMs: number): Promise<void> {
    const end = this.#nowMs + byMs;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
      await settle();
    }
    this.#nowMs = end;
  }

  /** True if a timer fires within so many milliseconds. */
  hasTimerWithin(ms: number): boolean {
    return this.#next(this.#nowMs + ms) !== undefined;
  }

  /** The clock is set, by NTP or by hand: it takes as long as before until a timer fires. */
  set(byMs: number): void {
    this.#nowMs += byMs;
    for (const timer of this.#timers) timer.dueMs += byMs;
  }

  #next(endMs: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.dueMs <= endMs);
    return due.toSorted((a, b) => a.dueMs - b.dueMs || a.order - b.order)[0];
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
