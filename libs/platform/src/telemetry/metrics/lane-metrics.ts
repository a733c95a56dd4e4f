import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Bounds } from '#core/kernel/fairness/fair-queue';
import { FairLimiter } from '../../fairness/fair-limiter.js';

/** Lanes in the order of the metrics, in any order of the services. */
const LANES = ['bundle', 'bundle-slow', 'read', 'read-slow', 'pull', 'solve', 'solve-slow'] as const;

/** The place in one process at which work waits for its turn. */
type LaneName = (typeof LANES)[number];

/**
 * Measures queues with turns: the waiting work, the work under way, and the time that each piece of work
 * waited.
 */
export class LaneMetrics {
  readonly #limiters = new Map<LaneName, FairLimiter>();
  readonly #waited: Histogram;

  constructor(registry: Registry) {
    const gauge = (name: string, help: string, of: (limiter: FairLimiter) => number) =>
      new Gauge({
        name,
        help,
        labelNames: ['lane'],
        registers: [registry],
        collect: this.#collect(of),
      });
    gauge('flotilla_lane_waiting', 'Work that waits for its turn', ({ waiting }) => waiting);
    gauge('flotilla_lane_running', 'Work that is under way', ({ running }) => running);
    this.#waited = new Histogram({
      name: 'flotilla_lane_wait_seconds',
      help: 'How long work waited for its turn',
      labelNames: ['lane'],
      buckets: [0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300],
      registers: [registry],
    });
  }

  limiter(lane: LaneName, bounds: Bounds): FairLimiter {
    const limiter = new FairLimiter(bounds, (seconds) => this.#waited.observe({ lane }, seconds));
    this.#limiters.set(lane, limiter);
    return limiter;
  }

  #collect(of: (limiter: FairLimiter) => number): (this: Gauge) => void {
    const limiters = this.#limiters;
    return function collect(this: Gauge) {
      for (const lane of LANES) {
        const limiter = limiters.get(lane);
        if (limiter !== undefined) this.set({ lane }, of(limiter));
      }
    };
  }
}
