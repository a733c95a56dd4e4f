/** How often a cluster has exceeded a budget lately, and when last. */
export type ExcessHistory = Readonly<{ times: number; lastMs: number }>;

const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 300_000;
/** Time within the budgets after the last pause. After it a cluster begins with short pauses again. */
const FORGIVEN_MS = 120_000;

/** Returns the pause before one read of the cluster may retry after an excess. */
export const probePauseMs = ({ times }: ExcessHistory): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(Math.max(0, times - 1), 10));

/**
 * Returns the history after a budget was exceeded at `nowMs`. Reads that were under way together count once.
 */
export function excessAt(before: ExcessHistory | undefined, nowMs: number): ExcessHistory {
  if (before === undefined) return { times: 1, lastMs: nowMs };
  const pause = probePauseMs(before);
  const since = nowMs - before.lastMs;
  if (since < pause) return before;
  return { times: since > pause + FORGIVEN_MS ? 1 : before.times + 1, lastMs: nowMs };
}
