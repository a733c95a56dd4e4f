import type { Clock } from '../../clock/clock.port.js';

/** Longest delay until the silence of a watch is found: tens of thousands of them share one timer. */
const CHECKS_MS = 1_000;

/** Aborts when nothing was heard for a while, or when the watch is stopped. */
export class SilenceTimer {
  readonly #controller = new AbortController();
  readonly #checks: SilenceChecks;
  #heardAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly silenceMs: number,
  ) {
    this.#heardAt = clock.now().getTime();
    this.#checks = checksOf(clock);
    this.#checks.add(this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** When the silence will have lasted too long. */
  get dueAt(): number {
    return this.#heardAt + this.silenceMs;
  }

  /** Notes a sign of life. Cheap, since it is called for every event: the timer is not set again. */
  heard(): void {
    this.#heardAt = this.clock.now().getTime();
  }

  abort(): void {
    this.#controller.abort();
  }

  dispose(): void {
    this.#checks.remove(this);
  }
}

/** One timer for all watches of a clock. */
class SilenceChecks {
  readonly #all = new Set<SilenceTimer>();
  #next: Readonly<{ at: number; cancel: () => void }> | undefined;

  constructor(private readonly clock: Clock) {}

  add(timer: SilenceTimer): void {
    this.#all.add(timer);
    this.#checkAt(timer.dueAt);
  }

  remove(timer: SilenceTimer): void {
    this.#all.delete(timer);
    if (this.#all.size > 0) return;
    this.#next?.cancel();
    this.#next = undefined;
  }

  #checkAt(at: number): void {
    if (this.#next !== undefined && this.#next.at <= at) return;
    this.#next?.cancel();
    const now = this.clock.now().getTime();
    this.#next = { at, cancel: this.clock.after(Math.max(at - now, 0), () => this.#check()) };
  }

  #check(): void {
    this.#next = undefined;
    const now = this.clock.now().getTime();
    let earliest = Number.POSITIVE_INFINITY;
    for (const timer of this.#all) {
      if (timer.dueAt > now) earliest = Math.min(earliest, timer.dueAt);
      else {
        this.#all.delete(timer);
        timer.abort();
      }
    }
    if (this.#all.size > 0) this.#checkAt(Math.max(earliest, now + CHECKS_MS));
  }
}

const checksByClock = new WeakMap<Clock, SilenceChecks>();

function checksOf(clock: Clock): SilenceChecks {
  const known = checksByClock.get(clock);
  if (known !== undefined) return known;
  const made = new SilenceChecks(clock);
  checksByClock.set(clock, made);
  return made;
}
