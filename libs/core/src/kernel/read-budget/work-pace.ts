/** How much of the thread that works for all clusters one cluster has used lately. Times in milliseconds. */
export type Pace = Readonly<{
  /** Time when the work so far would be paid for, if the cluster had used no more than its part. */
  freeAtMs: number;
  /** Work that it may still cause in half of the time. */
  allowanceMs: number;
  atMs: number;
}>;

/**
 * The purpose of the work.
 * - `events`: of watches, half of the time.
 * - `lists`: half of the time for a while, as at the start of a cluster, then a quarter. A list of 2 GiB must
 *   be read before its continue token expires, after five minutes.
 * - `excess`: of a cluster that has exceeded a budget lately, or sends events without end, a twentieth.
 */
export type WorkKind = 'events' | 'lists' | 'excess';

/** Work that a cluster may cause at once before it has to rest. */
const BURST_MS = 50;
const ALLOWANCE_MS = 1_000;
/** The allowance that a millisecond gives back. Lasting work takes more, so it never regains any. */
const REGAINED = 0.05;

function restPerWork(kind: WorkKind, workMs: number, allowanceMs: number): number {
  if (kind === 'excess') return 19;
  return kind === 'events' || allowanceMs > workMs ? 1 : 3;
}

/**
 * Returns the pace after `workMs` of work that has ended at `nowMs`, and the pause before more work is done
 * for the cluster. Clusters that wait at the same time continue one after the other.
 */
export function paceAfter(
  before: Pace | undefined,
  { kind, workMs }: Readonly<{ kind: WorkKind; workMs: number }>,
  nowMs: number,
): Readonly<{ pace: Pace; pauseMs: number }> {
  const { freeAtMs, allowanceMs, atMs } = before ?? { freeAtMs: 0, allowanceMs: ALLOWANCE_MS, atMs: nowMs };
  const regained = Math.min(ALLOWANCE_MS, allowanceMs + (nowMs - atMs) * REGAINED);
  const free = Math.max(freeAtMs, nowMs - workMs) + workMs * (1 + restPerWork(kind, workMs, regained));
  const pace = { freeAtMs: free, allowanceMs: Math.max(0, regained - workMs), atMs: nowMs };
  return { pace, pauseMs: Math.max(0, free - nowMs - BURST_MS) };
}

const MS_PER_BYTE = 8 / (1024 * 1024);

/** Returns the cost to receive so many bytes, and to collect their memory again: measured 5 to 8 ms a MiB. */
export const receivingMs = (bytes: number): number => bytes * MS_PER_BYTE;
