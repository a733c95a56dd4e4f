/** Work that a cluster may cause at once before it has to rest. */
const BURST_MS = 50;

/**
 * Keeps one cluster from taking up the thread that works for all: what it sends is worked on for at
 * most half of the time. Waiting for the network counts as rest, so that a cluster that sends at an
 * ordinary pace never rests here.
 */
export class WorkPace {
  #debtMs = 0;
  #atMs = performance.now();

  /** Undefined where no rest is due. */
  rest(workMs: number): Promise<void> | undefined {
    const now = performance.now();
    const idle = Math.max(0, now - this.#atMs - workMs);
    this.#atMs = now;
    this.#debtMs = Math.max(0, this.#debtMs - idle) + workMs;
    if (this.#debtMs <= BURST_MS) return undefined;
    const pause = this.#debtMs;
    return new Promise((resolve) => setTimeout(resolve, pause));
  }
}
