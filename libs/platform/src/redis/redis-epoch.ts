import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../clock/clock.port.js';
import { type Log, silentLog } from '../telemetry/log.port.js';
import { isLostConnection } from './redis-trouble.js';

type RedisEpochOptions = Readonly<{
  redis: Redis;
  clock: Clock;
  /** Called when the content of Redis is lost, or may be: put everything there again. */
  onEmptied: () => Promise<void> | void;
  /** A text that changes whenever Redis may lack something that was written. Default: never. */
  losses?: () => string;
  prefix?: string;
  everyMs?: number;
  log?: Log;
}>;

/**
 * Notices that Redis was emptied (flushed, or restarted without its data) or may lack a part (another server
 * after a fail-over, writes that a full Redis refused), so that work is put there again within seconds and
 * not only at the next resync. A random value lies in Redis under one key; every process
 * remembers it, and the first process that finds it missing writes a new one. Resolves once the value is
 * known. Returns a function that stops the watch.
 */
export async function watchRedisEpoch(options: RedisEpochOptions): Promise<() => void> {
  const { redis, clock, onEmptied, prefix = 'flotilla', everyMs = 3_000, log = silentLog } = options;
  const { losses = () => '' } = options;
  const stopped = new AbortController();
  const epoch = async () => {
    const fresh = randomUUID();
    return (await redis.set(`${prefix}:epoch`, fresh, 'NX', 'GET')) ?? fresh;
  };
  const complain = (error: unknown) =>
    log[isLostConnection(error) ? 'debug' : 'warn'](
      { error: error instanceof Error ? error.message : String(error) },
      'could not ask or refill Redis',
    );
  /**
   * A Redis that refuses (a replica, one that is loading, one older than 7.0) is asked again: it may change.
   */
  const firstAnswer = async (): Promise<string> => {
    for (;;) {
      try {
        return await epoch();
      } catch (error) {
        if (redis.status === 'end') throw error;
        complain(error);
        await clock.sleep(everyMs);
      }
    }
  };
  let known = await firstAnswer();
  let knownLosses = losses();
  const watch = async () => {
    for (;;) {
      await clock.sleep(everyMs, stopped.signal);
      if (stopped.signal.aborted) return;
      try {
        const now = await epoch();
        const lost = losses();
        if (now === known && lost === knownLosses) continue;
        const why = now === known ? 'Redis may have lost the last writes' : 'Redis was emptied';
        log.warn({}, `${why}; writing the work again`);
        await onEmptied();
        known = now; // only then: a failed attempt is made again
        knownLosses = lost;
      } catch (error) {
        complain(error);
      }
    }
  };
  void watch();
  return () => stopped.abort();
}
