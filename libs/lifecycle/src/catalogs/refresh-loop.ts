import type { Clock } from '#platform/clock/clock.port';

/** The reason for an attempt: its time has come, or it was asked for. */
export type Trigger = 'due' | 'asked';

/**
 * One attempt; never rejects. Resolves to the milliseconds until the next one is due, or to undefined if none
 * is. If `signal` is aborted, its outcome no longer counts.
 */
type Attempt = (trigger: Trigger, signal: AbortSignal) => Promise<number | undefined>;

/**
 * The attempts to keep one catalog fresh, one after the other. However often another one is asked for
 * during an attempt, one more is made after it.
 */
export class RefreshLoop {
  #running = false;
  #again = false;
  #stopped = false;
  /** Aborted when the running attempt is not wanted any more. */
  #wanted = new AbortController();
  #cancelTimer: () => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly attempt: Attempt,
  ) {}

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Attempts at once, or after the running attempt. */
  ask(): void {
    if (this.#stopped) return;
    if (this.#running) this.#again = true;
    else void this.#run('asked');
  }

  /** Cancels the running attempt. Requests from now on come after it. */
  giveUp(): void {
    this.#wanted.abort();
    this.#wanted = new AbortController();
  }

  /** Cancels the running attempt and the next one. Only requested attempts are made from now on. */
  rest(): void {
    this.giveUp();
    this.#cancelTimer();
  }

  /** Cancels the running attempt, and makes no other. */
  stop(): void {
    this.#stopped = true;
    this.rest();
  }

  async #run(first: Trigger): Promise<void> {
    this.#running = true;
    let trigger = first;
    do {
      this.#again = false;
      this.#cancelTimer();
      const { signal } = this.#wanted;
      const delayMs = await this.attempt(trigger, signal);
      if (!signal.aborted && delayMs !== undefined) this.#runIn(delayMs);
      trigger = 'asked';
    } while (this.#again && !this.#stopped);
    this.#running = false;
  }

  #runIn(delayMs: number): void {
    this.#cancelTimer = this.clock.after(delayMs, () => void this.#run('due'));
  }
}
