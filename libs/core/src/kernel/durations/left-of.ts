/**
 * Returns the milliseconds left of a pause, 0 when it is over. A start time more than a pause in the
 * future was written while a clock was ahead, and is ignored. Otherwise all work would wait until then.
 */
export function leftOf(pauseMs: number, sinceMs: number, nowMs: number): number {
  const left = sinceMs + pauseMs - nowMs;
  return left > 2 * pauseMs ? 0 : Math.max(0, Math.min(pauseMs, left));
}
