import { isInFlight, type RolloutRow } from './row.js';

/**
 * True if a roll-out has clusters, none is in flight, and each is led elsewhere than to the target
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

/** Why no decision brings the target of a roll-out that its catalogs have withdrawn (decision 0469). */
export const withdrawnText = (target: string): string =>
  `${target} was withdrawn: no cluster has it, and none is led to it any more`;

/** The same in a list of roll-outs. */
export const WITHDRAWN_NOTE = 'target withdrawn';

/** What becomes of such a roll-out: `it cannot go on …`. */
export const WITHDRAWN_END = 'cannot go on, and ends with the next target';

/** What an abort of it does. */
export const WITHDRAWN_ABORT = 'ends it now; else it ends with the next target';

/** Why a Retry makes no new roll-out of that target, and what comes instead. */
export const retryRefusal = (target: string): string =>
  `${withdrawnText(target)}; what the catalog leads to next comes by a roll-out of its own`;
