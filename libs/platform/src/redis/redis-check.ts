import type { Redis } from 'ioredis';
import type { Health, HealthCheck } from '../telemetry/health-check.js';
import { clockSkew } from './redis-clock.js';
import {
  askServerInfo,
  evictionRefusal,
  fullText,
  NOTHING_KNOWN,
  nearlyFullText,
  type RedisServerInfo,
} from './redis-server-info.js';
import { isBusyWithScript } from './script-watchdog.js';

const BUSY_TEXT = 'a script keeps it busy: poller or applier end the script; if it has written, restart Redis';

/** How long the value that the check writes stays, in seconds. */
const CHECK_SECONDS = 60;

type RedisCheckOptions = Readonly<{
  /** Prefix of the key that the check writes. Default `flotilla`. */
  prefix?: string;
  /** Returns the reason, if known, for a connection that does not work. */
  trouble?: () => string | undefined;
  /** Gives the right, if any, that commands of the service were refused for lately. */
  missingRight?: () => string | undefined;
  /** Returns the known facts about the server. */
  serverInfo?: () => RedisServerInfo;
  /** The clock of this machine. */
  nowMs?: () => number;
}>;

/**
 * Checks that Redis takes writes and keeps them. The check writes: a full Redis, or a replica, answers PING
 * and refuses the hub's next write.
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

/** `refusal`: the error of a write that Redis refused. */
function healthOf(info: RedisServerInfo, refusal: string | undefined): Health {
  if (refusal?.startsWith('OOM')) return { up: false, detail: `refuses writes: ${fullText(info)}` };
  if (refusal !== undefined && isBusyWithScript(refusal)) return { up: false, detail: BUSY_TEXT };
  if (refusal !== undefined) return { up: false, detail: `refuses writes: ${refusal}` };
  const evicting = evictionRefusal(info);
  if (evicting !== undefined) return { up: false, detail: evicting };
  const nearlyFull = nearlyFullText(info);
  if (nearlyFull !== undefined) return { up: true, degraded: true, detail: nearlyFull };
  return { up: true, detail: 'takes writes' };
}
