import type { TestContext } from 'vitest';
import { expect } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { ServiceProcess } from '../../../apps/cli/src/commands/demo/environment/service-process.js';

/** Readiness of a service, and the text of its check of Redis. */
export type RedisReadiness = Readonly<{ status: number; redis: string | undefined }>;

/** A resolver worker in a process of its own. It ends with the test. `folder`: of its log and content. */
export function startRedisService(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  folder: string,
  settings: Readonly<Record<string, string>>,
): ServiceProcess {
  const env = { FLOTILLA_RESOLVER_WORKER_PORT: '0', FLOTILLA_CONTENT_DIR: `${folder}/content`, ...settings };
  const service = new ServiceProcess('resolver-worker', 'resolver-worker', env, `${folder}/log-${Math.random()}`);
  onTestFinished(() => service.stop('SIGKILL'));
  service.start();
  return service;
}

export async function redisReadiness(service: ServiceProcess): Promise<RedisReadiness> {
  const response = await fetch(`${await service.url()}/readyz`);
  const { details } = (await response.json()) as { details: Record<string, { detail: string }> };
  return { status: response.status, redis: details['redis']?.detail };
}

/** Waits until the service says this of its Redis. */
export async function expectReadiness(service: ServiceProcess, expected: object): Promise<void> {
  await expect.poll(() => service.url(), PATIENCE).toBeDefined();
  await expect.poll(() => redisReadiness(service), PATIENCE).toEqual(expected);
}
