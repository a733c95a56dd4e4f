import type { Clock } from '#platform/clock/clock.port';

/** A process that observes this much more often in a second lets each subject rest so much longer. */
const REST_MS_PER_OBSERVATION = 4;
const LONGEST_REST_MS = 500;
/** Of what was observed, half is forgotten after this time. */
const HALF_LIFE_MS = 1_000;

/**
 * How long a subject rests between two observations: the more the process observes, over all clusters, the
 * longer. One install on an idle hub is observed as often as it changes. While a hundred subjects change all
 * the time each is observed twice a second, since the appliers have a queue of work anyway.
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
    return Math.min(LONGEST_REST_MS, this.#now() * REST_MS_PER_OBSERVATION);
  }

  #now(): number {
    return this.#level * 2 ** (-Math.max(0, this.clock.now().getTime() - this.#notedMs) / HALF_LIFE_MS);
  }
}
