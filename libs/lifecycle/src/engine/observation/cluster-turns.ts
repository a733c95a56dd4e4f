import type { Clock } from '#platform/clock/clock.port';

/** Clusters that have their turn at once. The others follow one after the other. */
const AT_ONCE = 20;
const EACH_MS = 500;

/**
 * Turns of the clusters of a process for passes over subjects at rest, after a start. Passes for a thousand
 * clusters at once would delay urgent ones for minutes.
 */
export class ClusterTurns {
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Returns the milliseconds until the next cluster has its turn. 0: now. */
  take(): number {
    const nowMs = this.clock.now().getTime();
    this.#lastMs = Math.max(this.#lastMs + EACH_MS, nowMs - (AT_ONCE - 1) * EACH_MS);
    return Math.max(0, this.#lastMs - nowMs);
  }
}
