import type { ConnectionOptions } from 'node:tls';
import type { RedisOptions } from 'ioredis';
import { MasterConnector } from './master-connector.js';
import { parseRedisUrl, parseSentinelUrl, type SentinelUrl } from './redis-url.js';

const LONGEST_RECONNECT_PAUSE_MS = 2_000;
/** Time after which a Sentinel without an answer is skipped. */
const LONGEST_ANSWER_OF_SENTINEL_MS = 5_000;

/** TLS settings beyond the authorities that Node.js trusts. */
export type RedisTls = Readonly<Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>>;

/** Pause before the next try: 100 ms at first, two seconds in the end. */
export const reconnectPauseMs = (times: number): number =>
  Math.min(LONGEST_RECONNECT_PAUSE_MS, 50 * 2 ** Math.min(times, 6));

/** Arguments of the client: a URL that names Redis itself, or options that say how to ask Sentinels. */
export type RedisTarget = Readonly<{ url?: string; options: RedisOptions }>;

/** @throws InvalidRedisUrl */
export function redisTarget(url: string, tls?: RedisTls): RedisTarget {
  const sentinels = parseSentinelUrl(url);
  if (sentinels !== undefined) return { options: sentinelOptions(sentinels, tls) };
  return { url: parseRedisUrl(url).href, options: tls === undefined ? {} : { tls } };
}

function sentinelOptions(
  { hosts, master, db, redis, sentinel, ...url }: SentinelUrl,
  tls: RedisTls = {},
): RedisOptions {
  return {
    sentinels: [...hosts],
    name: master,
    role: 'master',
    Connector: MasterConnector,
    sentinelCommandTimeout: LONGEST_ANSWER_OF_SENTINEL_MS,
    db,
    ...(redis.user && { username: redis.user }),
    ...(redis.password && { password: redis.password }),
    ...(sentinel.user && { sentinelUsername: sentinel.user }),
    ...(sentinel.password && { sentinelPassword: sentinel.password }),
    ...(url.tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    // The addresses that Sentinels use among one another may be unreachable from here.
    updateSentinels: false,
    failoverDetector: true,
    sentinelRetryStrategy: reconnectPauseMs,
    sentinelReconnectStrategy: reconnectPauseMs,
    // A master that was demoted refuses writes: they are sent again to the new one.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  };
}
