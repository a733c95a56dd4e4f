/**
 * Milliseconds of a pause that are left, 0 when it is over. What says that it begins more than a pause from
 * now was written while a clock was ahead, and counts for nothing: else all would wait until then.
 */
export function leftOf(pauseMs: number, sinceMs: number, nowMs: number): number {
  const left = sinceMs + pauseMs - nowMs;
  return left > 2 * pauseMs ? 0 : Math.max(0, Math.min(pauseMs, left));
}
