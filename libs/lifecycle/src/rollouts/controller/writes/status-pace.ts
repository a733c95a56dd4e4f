/** Interval for writing a status if the counts alone change (design: fleet.md §4.4). */
const COUNTS_EVERY_MS = 2_000;

/** Times at which this process wrote the statuses of rollouts, and the rollouts with older counts. */
export class StatusPace {
  readonly #writtenAt = new Map<string, number>();
  readonly #owed = new Set<string>();

  /** True if new counts alone are left for later. */
  mayOwe(rollout: string, now: number): boolean {
    return now < this.#dueAt(rollout);
  }

  /** True if counts are due, or if another process may have owed them. */
  isDue(rollout: string, now: number): boolean {
    return !this.#writtenAt.has(rollout) || (this.#owed.has(rollout) && now >= this.#dueAt(rollout));
  }

  note(rollout: string, isOwed: boolean, now: number): void {
    if (isOwed) this.#owed.add(rollout);
    else {
      this.#owed.delete(rollout);
      this.#writtenAt.set(rollout, now);
    }
  }

  forget(rollout: string): void {
    this.#owed.delete(rollout);
    this.#writtenAt.delete(rollout);
  }

  /** Returns the time at which counts are due next. */
  get nextAt(): number {
    return Math.min(...[...this.#owed].map((rollout) => this.#dueAt(rollout)));
  }

  #dueAt(rollout: string): number {
    return (this.#writtenAt.get(rollout) ?? Number.NEGATIVE_INFINITY) + COUNTS_EVERY_MS;
  }
}
