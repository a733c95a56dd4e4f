import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '#platform/clock/system-clock';
import { readSettings } from '#platform/config/settings';
import type { HubStore } from '#platform/hub/hub-store';
import { memoryHubStore } from '#platform/hub/memory-hub-store';
import { redisHubStore } from '#platform/hub/redis-hub-store';
import { HubKey } from '#platform/keys/hub-key';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { connectRedis } from '#platform/redis/redis-connection';
import { silentLog } from '#platform/telemetry/log.port';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { RefusedValues } from '#platform/telemetry/metrics/refused-values';
import { PATIENCE } from '#testing/patience';
import { hubStoreConformance } from './console-support/hub-store.conformance.js';

const clock = new SystemClock();
const common = () => ({ settings: readSettings({}), clock, log: silentLog, metrics: new Metrics() });

describe('the store of a hub that is one process', () => {
  hubStoreConformance(() => memoryHubStore(common()));
});

describe('the store of a hub in Redis', () => {
  let found: FoundRedis;
  const opened: HubStore[] = [];
  beforeAll(async () => {
    found = await findRedis({ log: () => undefined, preferExisting: false });
  });
  afterAll(async () => {
    for (const store of opened) store.close();
    await found?.stop();
  });

  const open = (redisPrefix: string = randomUUID()) => {
    const { settings, metrics, ...rest } = common();
    const store = redisHubStore({
      ...rest,
      ...{ access: found, key: HubKey.random(), metrics, refused: new RefusedValues(silentLog, metrics, clock) },
      settings: { ...settings, redisPrefix },
      claimsPath: join(tmpdir(), randomUUID(), 'claims.json'),
    });
    opened.push(store);
    return store;
  };
  hubStoreConformance(() => open());

  describe('its instance', () => {
    const INSTANCE = /^[0-9a-f]{12}$/;

    it('is one for all processes of the hub, and another one for another hub', async () => {
      const prefix = randomUUID();
      const all = await Promise.all([1, 2, 3].map(() => open(prefix).instance()));
      expect(new Set(all).size).toBe(1);
      expect(all[0]).toMatch(INSTANCE);
      expect(await open().instance()).not.toBe(all[0]);
    });

    it('comes back into a Redis that was emptied', async () => {
      const prefix = randomUUID();
      const running = open(prefix);
      const instance = await running.instance();
      const redis = connectRedis(found.url);
      await redis.del(`${prefix}:instance`);
      expect(await running.instance()).toBe(instance);
      await expect.poll(() => redis.get(`${prefix}:instance`), PATIENCE).toBe(instance);
      redis.disconnect();
      expect(await open(prefix).instance()).toBe(instance);
    });

    it('comes back without a question for it, before a process that starts makes another one', async () => {
      const prefix = randomUUID();
      const running = open(prefix);
      const instance = await running.instance();
      const stop = await running.watchLosses(() => undefined);
      const redis = connectRedis(found.url);
      await redis.del(`${prefix}:epoch`, `${prefix}:instance`);
      await expect.poll(() => redis.get(`${prefix}:instance`), PATIENCE).toBe(instance);
      stop();
      redis.disconnect();
    });

    it('is made anew where Redis has a lie', async () => {
      const prefix = randomUUID();
      const redis = connectRedis(found.url);
      await redis.set(`${prefix}:instance`, '"; FLUSHALL');
      const [one, other] = [await open(prefix).instance(), await open(prefix).instance()];
      expect(one).toMatch(INSTANCE);
      expect(other).toBe(one);
      await redis.del(`${prefix}:instance`);
      await redis.lpush(`${prefix}:instance`, one ?? '');
      expect(await open(prefix).instance()).toMatch(INSTANCE);
      redis.disconnect();
    });
  });
});
