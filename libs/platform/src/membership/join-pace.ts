import { troubleOf } from '../kube/errors/api-server-trouble.js';

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 30_000;
/** Time that work for a whole fleet is spread over, for each of its clusters. */
const SPREAD_MS = 20;

/** When to try to reach a cluster that has not been watched yet, and why it could not be reached. */
export class JoinPace {
  readonly #failures = new Map<string, { count: number; message: string }>();

  constructor(private readonly random: () => number) {}

  /**
   * Milliseconds until one cluster's turn, with that many due at once: a thousand connections are not opened
   * together.
   */
  turn(clusters: number): number {
    return Math.round((clusters - 1) * SPREAD_MS * this.random());
  }

  /**
   * Milliseconds until the next try: 5 s, doubling up to 30 s, ±50 %. `news`:
   * users have not read this yet.
   */
  failed(cluster: string, error: unknown): Readonly<{ delayMs: number; news: boolean }> {
    const message = troubleOf(error);
    const before = this.#failures.get(cluster);
    const count = (before?.count ?? 0) + 1;
    this.#failures.set(cluster, { count, message });
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(count - 1, 10));
    return { delayMs: Math.round(pause * (0.5 + this.random())), news: before?.message !== message };
  }

  succeeded(cluster: string): void {
    this.#failures.delete(cluster);
  }

  /**
   * Returns the reason why the cluster has not been reached. Returns undefined if it has, or was not tried
   * yet.
   */
  problemOf(cluster: string): string | undefined {
    return this.#failures.get(cluster)?.message;
  }
}
