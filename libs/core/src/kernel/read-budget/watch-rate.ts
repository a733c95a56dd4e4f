import type { Excess, ReadLimits } from './read-limits.js';

/** Events and bytes that one watch has received since `sinceMs`. */
export type WatchRate = Readonly<{ sinceMs: number; events: number; bytes: number }>;

const MINUTE_MS = 60_000;

/** Returns the rate after one more event, or the exceeded limit. */
export function watchRate(
  before: WatchRate | undefined,
  eventBytes: number,
  nowMs: number,
  limits: ReadLimits,
): Readonly<{ rate: WatchRate }> | Readonly<{ excess: Excess }> {
  const isCurrent = before !== undefined && nowMs - before.sinceMs < MINUTE_MS;
  const { sinceMs, events, bytes } = isCurrent ? before : { sinceMs: nowMs, events: 0, bytes: 0 };
  const rate = { sinceMs, events: events + 1, bytes: bytes + eventBytes };
  if (rate.events > limits.objects) return { excess: 'events' };
  if (rate.bytes > limits.listBytes) return { excess: 'event-bytes' };
  return { rate };
}
