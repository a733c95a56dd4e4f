import { describe, expect, it, onTestFinished } from 'vitest';
import { documentedChecks, startTestedService } from '#platform/service/service-module.fixture';
import { ResolverWorkerModule } from './resolver-worker.module.js';

const start = async () => {
  const service = await startTestedService({
    name: 'resolver-worker',
    modulesOf: async () => [ResolverWorkerModule],
  });
  onTestFinished(() => service.stop());
  return service;
};

describe('the resolver worker', () => {
  it('has the health checks of the documentation, and no other', async () => {
    expect(await (await start()).checks()).toEqual(await documentedChecks('resolver'));
  });

  it('answers that it is ready, and ends its work', async () => {
    const service = await start();
    expect((await service.app.inject({ url: '/readyz' })).statusCode).toBe(200);
    await service.stop();
    expect(service.ended).toEqual(['work']);
  });
});
