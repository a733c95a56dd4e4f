import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { SystemClock } from '#platform/clock/system-clock';
import { readSettings } from '#platform/config/settings';
import { HubKey } from '#platform/hub/hub-key';
import type { HubStore } from '#platform/hub/hub-store';
import { memoryHubStore } from '#platform/hub/memory-hub-store';
import { redisHubStore } from '#platform/hub/redis-hub-store';
import { type FoundRedis, findRedis } from '#platform/redis/find-redis';
import { silentLog } from '#platform/telemetry/log.port';
import { Metrics } from '#platform/telemetry/metrics';
import { RefusedValues } from '#platform/telemetry/refused-values';
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

  hubStoreConformance(() => {
    const { settings, metrics, ...rest } = common();
    const store = redisHubStore({
      ...rest,
      ...{ access: found, key: HubKey.random(), metrics, refused: new RefusedValues(silentLog, metrics, clock) },
      settings: { ...settings, redisPrefix: randomUUID() },
    });
    opened.push(store);
    return store;
  });
});
