import { Redis } from 'ioredis';
import { type Log, silentLog } from '../telemetry/log.port.js';
import { InvalidRedisUrl, RedisUnreachable } from './redis-errors.js';

const LONGEST_RECONNECT_PAUSE_MS = 2_000;

/** The URL without user and password, fit for logs and messages. */
export function withoutCredentials(url: string): string {
  const parsed = parseRedisUrl(url);
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}

/** @throws InvalidRedisUrl; the text itself is not repeated, since it may hold a password */
export function parseRedisUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['redis:', 'rediss:'].includes(parsed.protocol) || parsed.hostname === '') {
    throw new InvalidRedisUrl();
  }
  return parsed;
}

/**
 * A connection that returns by itself whenever Redis does: commands given meanwhile wait for it, as the queue's workers
 * need. Errors go to the log as text alone, because the client's error objects carry the arguments of AUTH.
 */
export function connectRedis(url: string, log: Log = silentLog): Redis {
  const address = withoutCredentials(url);
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    enableReadyCheck: true,
    retryStrategy: (times) => Math.min(LONGEST_RECONNECT_PAUSE_MS, 50 * 2 ** Math.min(times, 6)),
  });
  let down = false;
  redis.on('error', (error: Error) => {
    if (!down) log.warn({ redis: address, error: error.message }, 'Redis connection lost; trying again');
    down = true;
  });
  redis.on('ready', () => {
    if (down) log.info({ redis: address }, 'Redis connection is back');
    down = false;
  });
  return redis;
}

/** One PING over a connection of its own, no retries. @throws RedisUnreachable saying why, without the password */
export async function pingRedis(url: string, timeoutMs = 5_000): Promise<void> {
  const redis = new Redis(parseRedisUrl(url).href, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let because = 'no answer';
  redis.on('error', (error: Error) => {
    because = error.message;
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    const text = error instanceof Error && !/closed/i.test(error.message) ? error.message : because;
    throw new RedisUnreachable(withoutCredentials(url), text);
  } finally {
    redis.disconnect();
  }
}
