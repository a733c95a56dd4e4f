/** How much of the thread that works for all clusters one cluster has used lately. Times in milliseconds. */
export type Pace = Readonly<{
  /** When the work so far would be paid for, if the cluster had used no more than its part. */
  freeAtMs: number;
  /** Work that it may still cause at the ordinary pace. */
  allowanceMs: number;
  atMs: number;
}>;

/** Work that a cluster may cause at once before it has to rest. */
const BURST_MS = 50;
/** So much work, the lists of a large cluster at the start, is done in half of the time. */
const ALLOWANCE_MS = 2_000;
/** What goes on for longer is done in a tenth of the time. */
const REST_PER_WORK = { ordinary: 1, lasting: 9 } as const;
/** The allowance that a millisecond gives back: less than lasting work takes, which so never regains any. */
const REGAINED = 0.05;

/**
 * The pace after `workMs` of work that has ended at `nowMs`, and how long the cluster rests before more is
 * done for it. Those that wait at the same time go on one after the other.
 */
export function paceAfter(
  before: Pace | undefined,
  workMs: number,
  nowMs: number,
): Readonly<{ pace: Pace; pauseMs: number }> {
  const { freeAtMs, allowanceMs, atMs } = before ?? { freeAtMs: 0, allowanceMs: ALLOWANCE_MS, atMs: nowMs };
  const regained = Math.min(ALLOWANCE_MS, allowanceMs + (nowMs - atMs) * REGAINED);
  const rest = regained > workMs ? REST_PER_WORK.ordinary : REST_PER_WORK.lasting;
  const free = Math.max(freeAtMs, nowMs - workMs) + workMs * (1 + rest);
  const pace = { freeAtMs: free, allowanceMs: Math.max(0, regained - workMs), atMs: nowMs };
  return { pace, pauseMs: Math.max(0, free - nowMs - BURST_MS) };
}
