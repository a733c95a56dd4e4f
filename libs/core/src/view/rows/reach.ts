import type { ClusterSigns } from './cluster-row.js';

/** A poller's facts about the answers of a cluster. */
type ReachSigns = Readonly<{
  /** OLM itself is at work there, or another hub manages it. */
  isHeld: boolean;
  /** It is not used as it stands. */
  isRefused: boolean;
  /** The reason why it has not joined yet. */
  problem: string | undefined;
  /** Its watches, once it has joined. */
  watches: Readonly<{ synced: boolean; problems: readonly string[]; lastSeenMs: number }> | undefined;
  nowMs: number;
}>;

/** A cluster with a broken watch that said nothing for so long is away. */
const SILENT_MS = 30_000;

/** How a cluster answers, and why not better; undefined while nothing is certain: it has just been added. */
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
