import type { Clock } from '../../clock/clock.port.js';
import { KubeApiError } from '../client/kube-client.port.js';

/** The work was done, or was not begun: come again after this pause. */
export type Limited<T> = Readonly<{ admitted: true; value: T }> | Readonly<{ admitted: false; againAfterMs: number }>;

export type ClusterLimiterOptions = Readonly<{
  clock: Clock;
  /** Most pieces of work at once for one cluster. */
  mostAtOnce: () => number;
  /** In [0, 1): spreads the jobs that were turned away, so that they do not come back together. */
  random?: () => number;
}>;

type LimiterState = { running: number; failures: number; awayUntilMs: number };

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** Retry delay for jobs turned away at the cluster's concurrency limit. */
const BUSY_AGAIN_MS = 250;

/**
 * Keeps one cluster from taking up a process that works for many. Every request to a cluster that does not
 * answer waits for its deadline, and a cluster may have more namespaces than the process has places: so
 * each gets a part of the places, and one that did not answer is asked by one piece of work after growing
 * pauses until it answers again.
 */
export class ClusterLimiter {
  readonly #states = new Map<string, LimiterState>();

  constructor(private readonly options: ClusterLimiterOptions) {}

  /** Does the work unless the cluster is busy or away; what the work throws is thrown. */
  async run<T>(cluster: string, work: () => Promise<T>): Promise<Limited<T>> {
    const state = this.#stateOf(cluster);
    const waitMs = this.#waitMs(state);
    if (waitMs > 0) return { admitted: false, againAfterMs: this.#spread(waitMs) };
    state.running += 1;
    try {
      const value = await work();
      state.failures = 0;
      return { admitted: true, value };
    } catch (error) {
      this.#noteFailure(state, error);
      throw error;
    } finally {
      state.running -= 1;
      if (state.running === 0 && state.failures === 0) this.#states.delete(cluster);
    }
  }

  /** The cluster has left. */
  forget(cluster: string): void {
    this.#states.delete(cluster);
  }

  #stateOf(cluster: string): LimiterState {
    const known = this.#states.get(cluster) ?? { running: 0, failures: 0, awayUntilMs: 0 };
    this.#states.set(cluster, known);
    return known;
  }

  #waitMs({ running, failures, awayUntilMs }: LimiterState): number {
    const awayMs = awayUntilMs - this.options.clock.now().getTime();
    if (failures === 0) return running < this.options.mostAtOnce() ? 0 : BUSY_AGAIN_MS;
    if (awayMs > 0) return awayMs;
    return running === 0 ? 0 : FIRST_PAUSE_MS; // one asks whether it is back, the others hear of it
  }

  #noteFailure(state: LimiterState, error: unknown): void {
    const answered = !KubeApiError.is(error) || error.answered;
    if (answered) {
      state.failures = 0;
      return;
    }
    const now = this.options.clock.now().getTime();
    // Those that were under way together fail together: that is one failure.
    if (now < state.awayUntilMs) return;
    state.awayUntilMs = now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** state.failures);
    state.failures = Math.min(state.failures + 1, 10);
  }

  #spread(ms: number): number {
    return Math.ceil(ms * (1 + (this.options.random ?? Math.random)()));
  }
}
