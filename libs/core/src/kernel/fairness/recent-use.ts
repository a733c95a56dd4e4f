type Use = { level: number; at: number };

const HALF_LIFE_MS = 300_000;
const HIGHEST_RANK = 1_000_000;

/**
 * Counts the recent pieces of work of each user (a cluster). Half of them are forgotten every five minutes.
 * If work is done in the order of these ranks, one user's thousand pieces do not delay another's first ones.
 */
export class RecentUse {
  readonly #uses = new Map<string, Use>();

  /** Returns the rank of one more piece of work: 0 for a user without recent requests. */
  rankOfNext(user: string, now: number): number {
    const level = this.#level(user, now);
    this.#uses.set(user, { level: level + 1, at: now });
    return Math.min(HIGHEST_RANK, Math.floor(level));
  }

  /** Takes a counted piece of work back: it equals one that waits already. */
  takeBack(user: string, now: number): void {
    const level = this.#level(user, now) - 1;
    if (level > 0) this.#uses.set(user, { level, at: now });
    else this.#uses.delete(user);
  }

  #level(user: string, now: number): number {
    const use = this.#uses.get(user);
    return use === undefined ? 0 : use.level * 2 ** (-Math.max(0, now - use.at) / HALF_LIFE_MS);
  }
}
