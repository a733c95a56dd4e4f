import type { ClusterSigns } from './cluster-row.js';

/** A poller's facts about the answers of a cluster. */
type ReachSigns = Readonly<{
  /** True if OLM itself runs there, or another hub manages it. */
  isHeld: boolean;
  /** True if it is not used in its present form. */
  isRefused: boolean;
  /** The reason why it has not joined yet. */
  problem: string | undefined;
  /** Its watches, once it has joined. */
  watches: Readonly<{ synced: boolean; problems: readonly string[]; lastSeenMs: number }> | undefined;
  nowMs: number;
}>;

/** Silence of a cluster with a broken watch until it counts as unreachable. */
const SILENT_MS = 30_000;

/**
 * Returns the reach of a cluster, and the reason why it is not better. Undefined while nothing is certain: it
 * has just been added.
 */
export function reachOf({
  isHeld,
  isRefused,
  problem = '',
  watches,
  nowMs,
}: ReachSigns): Pick<ClusterSigns, 'reach' | 'problem'> | undefined {
  if (isHeld) return { reach: 'left-to-olm', problem: '' };
  if (watches === undefined) {
    if (isRefused) return { reach: 'refused', problem };
    return problem === '' ? undefined : { reach: 'away', problem };
  }
  const [broken] = watches.problems;
  if (broken === undefined) return watches.synced ? { reach: 'fresh', problem: '' } : undefined;
  return { reach: nowMs - watches.lastSeenMs > SILENT_MS ? 'away' : 'stale', problem: broken };
}
