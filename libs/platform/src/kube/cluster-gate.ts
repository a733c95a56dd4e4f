import type { Clock } from '../clock/clock.port.js';
import { KubeApiError } from './kube-client.port.js';

/** The work was done, or was not begun: come again after this pause. */
export type Admission<T> = Readonly<{ admitted: true; value: T }> | Readonly<{ admitted: false; againAfterMs: number }>;

export type ClusterGateOptions = Readonly<{
  clock: Clock;
  /** Most pieces of work at once for one cluster. */
  mostAtOnce: number;
  /** In [0, 1): spreads those who were turned away, so that they do not come back together. */
  random?: () => number;
}>;

type Standing = { running: number; failures: number; awayUntilMs: number };

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** Work for a cluster that is busy with us, but well, comes round again soon. */
const BUSY_AGAIN_MS = 250;

/**
 * Keeps one cluster from taking up a process that works for many. Every request to a cluster that does not answer waits
 * for its deadline, and a cluster may have more namespaces than the process has places: so each gets a part of the places,
 * and one that did not answer is asked by one piece of work after growing pauses until it answers again.
 */
export class ClusterGate {
  readonly #standings = new Map<string, Standing>();

  constructor(private readonly options: ClusterGateOptions) {}

  /** Does the work unless the cluster is busy or away; what the work throws is thrown. */
  async run<T>(cluster: string, work: () => Promise<T>): Promise<Admission<T>> {
    const standing = this.#standingOf(cluster);
    const waitMs = this.#waitMs(standing);
    if (waitMs > 0) return { admitted: false, againAfterMs: this.#spread(waitMs) };
    standing.running += 1;
    try {
      const value = await work();
      standing.failures = 0;
      return { admitted: true, value };
    } catch (error) {
      this.#noteFailure(standing, error);
      throw error;
    } finally {
      standing.running -= 1;
      if (standing.running === 0 && standing.failures === 0) this.#standings.delete(cluster);
    }
  }

  #standingOf(cluster: string): Standing {
    const known = this.#standings.get(cluster) ?? { running: 0, failures: 0, awayUntilMs: 0 };
    this.#standings.set(cluster, known);
    return known;
  }

  #waitMs({ running, failures, awayUntilMs }: Standing): number {
    const awayMs = awayUntilMs - this.options.clock.now().getTime();
    if (failures === 0) return running < this.options.mostAtOnce ? 0 : BUSY_AGAIN_MS;
    if (awayMs > 0) return awayMs;
    return running === 0 ? 0 : FIRST_PAUSE_MS; // one asks whether it is back, the others hear of it
  }

  #noteFailure(standing: Standing, error: unknown): void {
    const answered = !KubeApiError.is(error) || error.answered;
    if (answered) {
      standing.failures = 0;
      return;
    }
    const now = this.options.clock.now().getTime();
    // Those that were under way together fail together: that is one failure.
    if (now < standing.awayUntilMs) return;
    standing.awayUntilMs = now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** standing.failures);
    standing.failures = Math.min(standing.failures + 1, 10);
  }

  #spread(ms: number): number {
    return Math.ceil(ms * (1 + (this.options.random ?? Math.random)()));
  }
}
