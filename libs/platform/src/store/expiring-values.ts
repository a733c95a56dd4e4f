import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock/clock.port.js';

export type ExpiringValuesOptions = Readonly<{
  clock: Clock;
  /** Milliseconds until a value goes. A read starts this time again only if `untilUnused` is set. */
  ttlMs: number;
  untilUnused?: boolean;
  /** Number of values; the least recently used go first. */
  most: number;
}>;

/** A store that forgets values after a time, and never holds too many. */
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
