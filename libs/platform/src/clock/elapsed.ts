import type { Clock } from './clock.port.js';

/**
 * Milliseconds since the call, as a function of when it is asked. Two clocks count, and the one that went on
 * further holds: the process's own stands still while the machine sleeps, and the machine's may be set back.
 * So the time that has passed is never underrated.
 */
export function elapsedSince(clock: Clock, monotonicMs: () => number = () => performance.now()): () => number {
  const [wall, monotonic] = [clock.now().getTime(), monotonicMs()];
  return () => Math.max(clock.now().getTime() - wall, monotonicMs() - monotonic);
}
