import type { Clock } from '../../clock/clock.port.js';

/** Aborts when nothing was heard for a while, or when the watch is stopped. */
export class SilenceTimer {
  readonly #controller = new AbortController();
  #heardAt: number;
  #cancel: () => void;

  constructor(
    private readonly clock: Clock,
    private readonly silenceMs: number,
  ) {
    this.#heardAt = clock.now().getTime();
    this.#cancel = clock.after(silenceMs, () => this.#check());
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something was heard. Cheap, since it is called for every event: the timer is not set anew. */
  heard(): void {
    this.#heardAt = this.clock.now().getTime();
  }

  abort(): void {
    this.#controller.abort();
  }

  dispose(): void {
    this.#cancel();
  }

  #check(): void {
    const left = this.#heardAt + this.silenceMs - this.clock.now().getTime();
    if (left <= 0) this.#controller.abort();
    else this.#cancel = this.clock.after(left, () => this.#check());
  }
}
