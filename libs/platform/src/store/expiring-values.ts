import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock/clock.port.js';

export type ExpiringValuesOptions = Readonly<{
  clock: Clock;
  /** After how many milliseconds a value goes; a read begins this time anew only if `untilUnused` is set. */
  ttlMs: number;
  untilUnused?: boolean;
  /** Of the values that were used least recently, those that are more go. */
  most: number;
}>;

/** Values that are forgotten after a time, and of which there are never too many. */
export const expiringValues = <V extends {}>(options: ExpiringValuesOptions): LRUCache<string, V> => {
  const { clock, ttlMs, untilUnused = false, most } = options;
  return new LRUCache<string, V>({
    max: most,
    ttl: ttlMs,
    updateAgeOnGet: untilUnused,
    ttlResolution: 0,
    perf: { now: () => clock.now().getTime() },
  });
};
