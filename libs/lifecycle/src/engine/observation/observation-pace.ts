import type { Clock } from '#platform/clock/clock.port';

/**
 * A process with `OBSERVATIONS` observations in a second gives a rest of `REST_MS`. Twice as many give four
 * times that rest.
 */
const REST_MS = 10;
const OBSERVATIONS = 10;
const LONGEST_REST_MS = 1_000;
/** Half of the observed count is forgotten after this time. */
const HALF_LIFE_MS = 1_000;

/**
 * The rest of a subject between two observations: the more the process observes, over all clusters, the
 * longer. One install on an idle hub is observed as often as it changes. While a hundred subjects change all
 * the time, each is observed once a second. The appliers have a queue of work anyway.
 */
export class ObservationPace {
  #level = 0;
  #notedMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Clock) {}

  /** A subject was observed. */
  note(): void {
    this.#level = this.#now() + 1;
    this.#notedMs = this.clock.now().getTime();
  }

  /** Milliseconds. */
  get restMs(): number {
    return Math.min(LONGEST_REST_MS, REST_MS * (this.#now() / OBSERVATIONS) ** 2);
  }

  #now(): number {
    return this.#level * 2 ** (-Math.max(0, this.clock.now().getTime() - this.#notedMs) / HALF_LIFE_MS);
  }
}
