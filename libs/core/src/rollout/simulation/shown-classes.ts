import { widerHash } from '../review/shown-differences.js';

const WIDER = /-wider(-\d+)?$/;

/** The name that a scenario gives to the class of a plan. */
export const plainClass = (name: string): string => name.replace(WIDER, '');

/**
 * The content of the FleetPlans of a simulated rollout: the differences of the first cluster of each class.
 * Clusters with more differences are in classes of their own, `NAME-wider`, `NAME-wider-2` and so on.
 */
export class ShownClasses {
  readonly #shown = new Map<string, readonly string[]>();
  /** Classes by the hash that a live rollout would use as their name. */
  readonly #wider = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  classOf(rollout: string, name: string, differences: readonly string[] | undefined): string {
    if (differences === undefined) return name;
    const key = `${rollout} ${name}`;
    const shown = this.#shown.get(key);
    if (shown === undefined) this.#shown.set(key, differences);
    const hash = widerHash(key, differences, shown ?? differences);
    if (hash === undefined) return name;
    const known = this.#wider.get(hash);
    if (known !== undefined) return known;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const own = count === 1 ? `${name}-wider` : `${name}-wider-${count}`;
    this.#wider.set(hash, own);
    return own;
  }
}
