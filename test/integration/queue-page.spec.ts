import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { PATIENCE } from '#testing/patience';
import { startRedisService } from './redis-support/redis-service.js';

let found: FoundRedis;
let folder = '';
beforeAll(async () => {
  found = await findRedis({ log: () => undefined, preferExisting: false });
  folder = await mkdtemp(join(tmpdir(), 'flotilla-queue-page-'));
});
afterAll(async () => {
  await found?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('a service as it is started', () => {
  it.each([
    { settings: {}, status: 404 },
    { settings: { FLOTILLA_QUEUE_PAGE: 'true' }, status: 200 },
    { settings: { FLOTILLA_QUEUE_PAGE: 'true', FLOTILLA_HTTP_AUTHENTICATED: 'health' }, status: 401 },
  ])('answers /queues with $status, given $settings', async ({ settings, status }) => {
    const service = startRedisService({ onTestFinished }, folder, { REDIS_URL: found.url, ...settings });
    await expect.poll(() => service.url(), PATIENCE).toBeDefined();
    const answer = await fetch(`${await service.url()}/queues`);
    expect(answer.status).toBe(status);
    expect((await answer.text()).includes('<table')).toBe(status === 200);
  });
});
