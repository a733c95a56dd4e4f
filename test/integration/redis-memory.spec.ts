import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG_PATIENCE_MS, PATIENCE, pause } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import type { ScenarioStep } from '../../apps/cli/src/demo/scenario.js';
import { expectEnding } from '../story/expect-ending.js';
import { playStory } from '../story/play-story.js';
import { QUICK, startQuickEnvironment } from '../story/quick-environment.js';
import { type ConfiguredRedis, startConfiguredRedis } from './redis-support/configured-redis.js';
import { expectReadiness, redisReadiness, startRedisService } from './redis-support/redis-service.js';

const there = await programs({ program: 'redis-server', debian: 'redis-server' });
const FULL =
  /^refuses writes: OOM, memory is full \([\d.]+ MiB of 0.0 MiB\): raise maxmemory of Redis \(docs\/sizing.md\). Nothing is lost: /;
/** Longer than the leases of shards in these tests, so that these end, and longer than the locks of jobs. */
const LONG_MS = 6_000;
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
    await rm(folder, { recursive: true, force: true });
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

  it.for([
    { away: 'for a moment', ms: SHORT_MS },
    { away: 'for long', ms: LONG_MS },
  ])('is full $away while operators are installed and upgraded: health says so, nothing is lost', async ({ ms }) => {
    const environment = await startQuickEnvironment({ redis: { url: url(), how: 'small' }, settings: QUICK });
    const { services } = environment;
    const full = async () => {
      await set('maxmemory', '1');
      await expect
        .poll(() => Promise.all(services.map(redisReadiness)), PATIENCE)
        .toEqual(services.map(() => ({ status: 503, redis: expect.stringMatching(FULL) })));
      await pause(ms);
      await set('maxmemory', '0');
    };
    const steps: readonly ScenarioStep[] = ['subscribed', 'first-plan', 'catalog-updated'];
    try {
      const pids = services.map(({ pid }) => pid);
      const onStep = async (step: ScenarioStep) => (steps.includes(step) ? full() : undefined);
      const ending = await playStory(environment, { onStep, patienceMs: LONG_PATIENCE_MS });
      await expectEnding(environment, ending);
      expect(services.map(({ pid }) => pid)).toEqual(pids);
      for (const service of services) {
        expect(await redisReadiness(service), service.name).toMatchObject({ status: 200, redis: 'takes writes' });
        const metrics = await (await fetch(`${await service.url()}/metrics`)).text();
        expect(metrics, service.name).toMatch(/^flotilla_redis_refusals_total\{error="OOM"\} [1-9]/m);
        expect(metrics, service.name).toMatch(/^flotilla_redis_memory_bytes\{of="used"\} [1-9]/m);
      }
    } finally {
      await environment.stop();
    }
  });
});
