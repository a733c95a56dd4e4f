import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG_PATIENCE, LONG_PATIENCE_MS } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import type { ScenarioStep } from '../../apps/cli/src/commands/demo/scenario.js';
import { type ConfiguredRedis, startConfiguredRedis } from '../integration/redis-support/configured-redis.js';
import { expectNothingLost } from '../integration/redis-support/full-redis.js';
import { redisReadiness } from '../integration/redis-support/redis-service.js';
import { MASTER, type SentinelRedis, startSentinelRedis } from '../integration/redis-support/sentinel-redis.js';
import { expectEnding } from '../story/expect-ending.js';
import { playStory } from '../story/play-story.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const there = await programs({ program: 'redis-server', debian: 'redis-server' });
/** Longer than the leases of shards in this test, so that these end, and longer than the locks of jobs. */
const LONG_MS = 6_000;

describe('Redis with little memory', needing(there), () => {
  let redis: ConfiguredRedis;
  beforeAll(async () => {
    redis = await startConfiguredRedis();
  });
  afterAll(() => redis?.stop());

  it('is full for long while operators are installed and upgraded: health says so, nothing is lost', () =>
    expectNothingLost(redis, LONG_MS));
});

describe('Redis behind Sentinels', needing(there), () => {
  let redis: SentinelRedis;
  beforeAll(async () => {
    redis = await startSentinelRedis();
  });
  afterAll(() => redis?.stop());

  it('fails over twice while operators are installed and upgraded: nothing is lost, no service is started again', async () => {
    const [first, second] = redis.servers;
    const atStep: Partial<Record<ScenarioStep, () => Promise<void>>> = {
      'first-plan': async () => {
        await second.admin.call('REPLICAOF', '127.0.0.1', '1'); // what follows is on the master alone, and lost with it
        await first.kill();
      },
      installed: () => first.restart(),
      'catalog-updated': async () => {
        await redis.untilReplica(first);
        // Asks again after an attempt without effect. A fail-over that Sentinels began by themselves counts,
        // too.
        const hasFailedOver = async () => {
          if ((await redis.master()) === first) return true;
          await redis.sentinels[0].admin.call('SENTINEL', 'FAILOVER', MASTER).catch(String);
          return false;
        };
        await expect.poll(hasFailedOver, LONG_PATIENCE).toBe(true);
      },
    };
    const url = `redis+sentinel://:${redis.password}@${redis.hosts}/${MASTER}?sentinel_password=${redis.sentinelPassword}`;
    const environment = await startQuickEnvironment({ redis: { url, how: 'behind Sentinels' } });
    try {
      const onStep = async (step: ScenarioStep) => atStep[step]?.();
      const pids = environment.services.map(({ pid }) => pid);
      const ending = await playStory(environment, { onStep, patienceMs: LONG_PATIENCE_MS });
      await expectEnding(environment, ending);
      expect(environment.services.map(({ pid }) => pid)).toEqual(pids);
      const [poller] = environment.services;
      const published = async () =>
        ((await poller?.logged()) ?? []).filter(({ msg }) =>
          /^Redis (may have lost the last writes|was emptied)/.test(String(msg)),
        ).length;
      // The poller may learn of the second one after the upgrade, when it next asks for the run id of Redis.
      await expect.poll(published, LONG_PATIENCE).toBeGreaterThanOrEqual(2);
      for (const service of environment.services) {
        await expect.poll(async () => (await redisReadiness(service)).status, LONG_PATIENCE).toBe(200);
        const lines = (await service.tail(Number.POSITIVE_INFINITY)).split('\n');
        expect(lines.filter((line) => !line.startsWith('{'))).toEqual([]);
      }
    } finally {
      await environment.stop();
    }
  });
});
