import { once } from 'node:events';
import { type DoctorCheck, failed, ok, warning } from '#core/cluster/doctor/machine-checks';
import type { Settings } from '#platform/config/settings';
import { readRedisAccess } from '#platform/redis/redis-access';
import { redisCheck } from '#platform/redis/redis-check';
import { openRedis, pingRedis } from '#platform/redis/redis-connection';
import { withoutCredentials } from '#platform/redis/redis-url';
import { silentLog } from '#platform/telemetry/log.port';
import { lineOf } from '../../clusters/ask-clusters.js';

const ANSWERS_WITHIN_MS = 5_000;

/** Checks that the named Redis takes writes and keeps them. */
export async function checkRedis(settings: Settings): Promise<DoctorCheck> {
  if (settings.redisUrl === '') return ok('redis', 'no Redis is named, and "flotilla up" needs none');
  try {
    const access = await readRedisAccess(settings);
    await pingRedis(access.url, ANSWERS_WITHIN_MS, access.tls);
    const { redis } = openRedis(access.url, silentLog, access.tls);
    try {
      if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
      const health = await redisCheck(redis, { prefix: settings.redisPrefix }).check();
      const where = withoutCredentials(access.url);
      if (!health.up) return failed('redis', `${where} ${health.detail}`, 'see docs/redis.md');
      if (health.degraded === true) return warning('redis', `${where}: ${health.detail}`, 'see docs/redis.md');
      return ok('redis', `${where} ${health.detail}`);
    } finally {
      redis.disconnect();
    }
  } catch (error) {
    return failed(
      'redis',
      lineOf(error),
      'name a Redis that answers in FLOTILLA_REDIS_URL, or leave it empty for "flotilla up"',
    );
  }
}
