import { expect } from 'vitest';
import { REFUSED } from '#platform/redis/redis-rights';
import { PATIENCE } from '#testing/patience';
import type {
  EnvironmentOptions,
  ServicesEnvironment,
} from '../../../apps/cli/src/commands/demo/environment/demo-environment.js';
import type { ServiceName } from '../../../apps/cli/src/commands/demo/environment/service-process.js';
import type { RedisUser, ShippedRedis } from './shipped-redis.js';

const USER_OF: Record<ServiceName, RedisUser> = {
  'catalog-poller': 'poller',
  'resolver-worker': 'resolver',
  applier: 'applier',
};

/** Services that use this Redis, each with its own user. */
export const withUsersOf = (redis: ShippedRedis, redisPrefix: string): EnvironmentOptions => ({
  redis: { url: `redis://${redis.address}`, how: 'the shipped one' },
  redisPrefix,
  settingsOf: (service) => ({
    FLOTILLA_REDIS_USER: `flotilla-${USER_OF[service]}`,
    FLOTILLA_REDIS_PASSWORD_FILE: redis.passwordFileOf(USER_OF[service]),
  }),
});

/** No service was refused a command, and each is ready and reports its queues. */
export async function expectEnoughRights({ services }: ServicesEnvironment): Promise<void> {
  for (const service of services) {
    const lines = await service.logged();
    expect(
      lines.filter((line) => REFUSED.test(JSON.stringify(line))),
      service.name,
    ).toEqual([]);
    const url = await service.url();
    const readiness = async () => (await fetch(`${url}/readyz`)).status;
    await expect.poll(readiness, { ...PATIENCE, message: service.name }).toBe(200);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics, service.name).toMatch(/^bullmq_job_count{queue="resolve",state="waiting"} /m);
  }
}
