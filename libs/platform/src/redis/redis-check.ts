import type { Redis } from 'ioredis';
import type { Health, HealthCheck } from '../telemetry/health-check.js';
import {
  askServerInfo,
  evictionRefusal,
  fullText,
  NOTHING_KNOWN,
  nearlyFullText,
  type RedisServerInfo,
} from './redis-server-info.js';

/** How long the value that the check writes stays, in seconds. */
const CHECK_SECONDS = 60;
/** Clocks that are set by NTP differ by less than a second. */
const TOLERATED_SKEW_MS = 120_000;

export type RedisCheckOptions = Readonly<{
  /** Before the key that the check writes. Default `flotilla`. */
  prefix?: string;
  /** Gives the reason, where it is known, for a connection that does not work. */
  trouble?: () => string | undefined;
  /** Gives the right, if any, that commands of the service were refused for lately. */
  missingRight?: () => string | undefined;
  /** What is known of the server. */
  serverInfo?: () => RedisServerInfo;
  /** The clock of this machine. */
  nowMs?: () => number;
}>;

/**
 * Whether Redis takes writes and keeps them. The check writes: a Redis that is full, or a replica, answers
 * PING and refuses what the hub does next.
 */
export const redisCheck = (redis: Redis, options: RedisCheckOptions = {}): HealthCheck => ({
  name: 'redis',
  check: async () => {
    const { trouble = () => undefined, missingRight = () => undefined } = options;
    if (redis.status !== 'ready')
      return {
        up: false,
        detail: trouble() ?? `no answer yet (the connection is ${redis.status}): check FLOTILLA_REDIS_URL`,
      };
    const { prefix = 'flotilla', serverInfo = () => NOTHING_KNOWN, nowMs = Date.now } = options;
    const [refusal, info] = await Promise.all([
      redis.set(`${prefix}:health`, '', 'EX', CHECK_SECONDS).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ),
      askServerInfo(redis, serverInfo()),
    ]);
    const missing = missingRight();
    if (missing !== undefined) return { up: false, detail: missing };
    const health = healthOf(info, refusal);
    const skew = await clockSkew(redis, nowMs);
    return skew === undefined || !health.up ? health : { up: true, degraded: true, detail: skew };
  },
});

/** What the clocks of this machine and of Redis differ by, and what to do; undefined where it is little. */
async function clockSkew(redis: Redis, nowMs: () => number): Promise<string | undefined> {
  const [seconds] = await redis.time().catch(() => []);
  if (seconds === undefined) return undefined;
  const aheadMs = nowMs() - Number(seconds) * 1_000;
  if (Math.abs(aheadMs) < TOLERATED_SKEW_MS) return undefined;
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const which = aheadMs > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${minutes} min ${which} that of Redis: set both by NTP; certificates and tokens are judged by them`;
}

/** `refusal`: the error with which Redis has refused to write. */
function healthOf(info: RedisServerInfo, refusal: string | undefined): Health {
  if (refusal?.startsWith('OOM')) return { up: false, detail: `refuses writes: ${fullText(info)}` };
  if (refusal !== undefined) return { up: false, detail: `refuses writes: ${refusal}` };
  const evicting = evictionRefusal(info);
  if (evicting !== undefined) return { up: false, detail: evicting };
  const nearlyFull = nearlyFullText(info);
  if (nearlyFull !== undefined) return { up: true, degraded: true, detail: nearlyFull };
  return { up: true, detail: 'takes writes' };
}
