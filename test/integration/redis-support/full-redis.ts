import { expect } from 'vitest';
import { LONG_PATIENCE_MS, PATIENCE, pause } from '#testing/patience';
import type { ScenarioStep } from '../../../apps/cli/src/commands/demo/scenario.js';
import { expectEnding } from '../../story/expect-ending.js';
import { playStory } from '../../story/play-story.js';
import { QUICK, startQuickEnvironment } from '../../story/quick-environment.js';
import type { ConfiguredRedis } from './configured-redis.js';
import { redisReadiness } from './redis-service.js';

const FULL =
  /^refuses writes: OOM, memory is full \([\d.]+ MiB of 0.0 MiB\): raise maxmemory of Redis \(docs\/sizing.md\). Nothing is lost: /;
const STEPS: readonly ScenarioStep[] = ['subscribed', 'first-plan', 'catalog-updated'];

/**
 * Plays the story with a Redis whose memory is full three times, each for that many milliseconds once all
 * services report it. Nothing is lost, and no service is restarted.
 */
export async function expectNothingLost(redis: ConfiguredRedis, fullMs: number): Promise<void> {
  const url = `redis://127.0.0.1:${redis.port}`;
  const environment = await startQuickEnvironment({ redis: { url, how: 'small' }, settings: QUICK });
  const { services } = environment;
  const limit = (bytes: string) => redis.admin.config('SET', 'maxmemory', bytes);
  const full = async () => {
    await limit('1');
    await expect
      .poll(() => Promise.all(services.map(redisReadiness)), PATIENCE)
      .toEqual(services.map(() => ({ status: 503, redis: expect.stringMatching(FULL) })));
    await pause(fullMs);
    await limit('0');
  };
  try {
    const pids = services.map(({ pid }) => pid);
    const onStep = async (step: ScenarioStep) => (STEPS.includes(step) ? full() : undefined);
    const ending = await playStory(environment, { onStep, patienceMs: LONG_PATIENCE_MS });
    await expectEnding(environment, ending);
    expect(services.map(({ pid }) => pid)).toEqual(pids);
    for (const service of services) {
      const wanted = { status: 200, redis: 'takes writes' };
      await expect.poll(() => redisReadiness(service), { ...PATIENCE, message: service.name }).toMatchObject(wanted);
      const metrics = await (await fetch(`${await service.url()}/metrics`)).text();
      expect(metrics, service.name).toMatch(/^flotilla_redis_refusals_total\{error="OOM"\} [1-9]/m);
      expect(metrics, service.name).toMatch(/^flotilla_redis_memory_bytes\{of="used"\} [1-9]/m);
    }
  } finally {
    await environment.stop();
  }
}
