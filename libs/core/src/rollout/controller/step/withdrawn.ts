import { isInFlight, type RolloutRow } from './row.js';

/**
 * True if a rollout has clusters, none is in flight, and each is led elsewhere than to the target
 * (decision 0469).
 */
export function isWithdrawnFrom(rows: Iterable<RolloutRow>, isElsewhere: (cluster: string) => boolean): boolean {
  let isAnyThere = false;
  for (const row of rows) {
    if (row.phase === 'Removed') continue;
    if (isInFlight(row) || !isElsewhere(row.cluster)) return false;
    isAnyThere = true;
  }
  return isAnyThere;
}

/**
 * Returns the reason why no decision brings a target that the rollout's catalogs have withdrawn
 * (decision 0469).
 */
export const withdrawnText = (target: string): string =>
  `${target} was withdrawn: no cluster has it, and no catalog leads to it`;

/** The same in a list of rollouts. */
export const WITHDRAWN_NOTE = 'target withdrawn';

/** The end of such a rollout: `it cannot go on …`. */
export const WITHDRAWN_END = 'cannot continue, and ends with the next target';

/** The effect of an abort of such a rollout. */
export const WITHDRAWN_ABORT = 'ends it now; otherwise it ends with the next target';

/**
 * Returns the reason why a Retry creates no new rollout of that target, and the next rollout to expect.
 */
export const retryRefusal = (target: string): string =>
  `${withdrawnText(target)}; the next version of the catalog gets a rollout of its own`;
