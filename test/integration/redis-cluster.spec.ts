import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findRedis } from '#platform/redis/local/find-redis';
import { PATIENCE } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import { type ConfiguredRedis, startConfiguredRedis } from './redis-support/configured-redis.js';
import { startRedisService } from './redis-support/redis-service.js';

const there = await programs({ program: 'redis-server', debian: 'redis-server' });
const REFUSAL =
  /Redis at redis:\/\/127.0.0.1:\d+ runs in Cluster mode, but Flotilla changes several keys in one step, and a Cluster refuses that \(CROSSSLOT\): use a Redis without Cluster mode .*, in FLOTILLA_REDIS_URL/;

describe('a Redis in Cluster mode', needing(there), () => {
  let folder = '';
  let redis: ConfiguredRedis;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-cluster-'));
    redis = await startConfiguredRedis({
      lines: ['cluster-enabled yes', 'requirepass SECRET'],
      client: { password: 'SECRET' },
    });
    await redis.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await vi.waitFor(
      async () => expect(await redis.admin.call('CLUSTER', 'INFO')).toMatch(/cluster_state:ok/),
      PATIENCE,
    );
  });
  afterAll(async () => {
    await redis?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const url = () => `redis://:SECRET@127.0.0.1:${redis.port}`;

  it('ends a service with one line and exit code 2, before anything is written there', async (test) => {
    const service = startRedisService(test, folder, { FLOTILLA_REDIS_URL: url() });
    await expect.poll(() => service.running, PATIENCE).toBe(false);
    expect(service.exitCode).toBe(2);
    const lines = (await service.logged()).filter(({ level }) => level === 'error');
    expect(lines).toEqual([expect.objectContaining({ msg: 'resolver-worker could not start' })]);
    expect(JSON.stringify(lines)).toMatch(REFUSAL);
    expect(await service.tail(100)).not.toContain('SECRET');
    expect(await redis.admin.dbsize()).toBe(0);
  });

  it('is refused by the command that is given its address', async () => {
    await expect(findRedis({ log: () => undefined, env: { REDIS_URL: url() } })).rejects.toThrow(REFUSAL);
  });
});
