import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needing, programs } from '#testing/report/needs';
import { type ConfiguredRedis, startConfiguredRedis } from './redis-support/configured-redis.js';
import { expectNothingLost } from './redis-support/full-redis.js';
import { expectReadiness, startRedisService } from './redis-support/redis-service.js';

const there = await programs({ program: 'redis-server', debian: 'redis-server' });
const SHORT_MS = 300;

describe('the memory of Redis', needing(there), () => {
  let folder = '';
  let redis: ConfiguredRedis;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-memory-'));
    redis = await startConfiguredRedis();
  });
  afterAll(async () => {
    await redis?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const url = () => `redis://127.0.0.1:${redis.port}`;
  const set = (name: string, value: string) => redis.admin.config('SET', name, value);

  it('is checked: a Redis that removes keys by itself is not used as ready, until it does not', async (test) => {
    const service = startRedisService(test, folder, { FLOTILLA_REDIS_URL: url() });
    await expectReadiness(service, { status: 200, redis: 'takes writes' });
    await set('maxmemory-policy', 'allkeys-lru');
    await expectReadiness(service, { status: 200, redis: 'takes writes' }); // without a limit nothing is removed
    await set('maxmemory', '100mb');
    const redisDetail = expect.stringMatching(
      /^maxmemory-policy is allkeys-lru: .*100.0 MiB.* Set maxmemory-policy noeviction/,
    );
    await expectReadiness(service, { status: 503, redis: redisDetail });
    await set('maxmemory-policy', 'noeviction');
    await expectReadiness(service, { status: 200, redis: 'takes writes' });
    await set('maxmemory', '0');
  });

  it('is full for a moment while operators are installed and upgraded: health says so, nothing is lost', () =>
    expectNothingLost(redis, SHORT_MS));
});
