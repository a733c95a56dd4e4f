import { expect, it, onTestFinished } from 'vitest';
import { documentedChecks, startTestedService } from '#platform/service/service-module.fixture';
import { consoleModule } from './console.module.js';
import { ConsoleService } from './console.service.js';
import { consoleParts } from './console-parts.js';

it('the console has the health checks of the documentation, and answers until it ends', async () => {
  const service = await startTestedService({
    name: 'console',
    modulesOf: async (hub) => [consoleModule(await ConsoleService.open(consoleParts(hub)))],
  });
  onTestFinished(() => service.stop());
  const address = `${service.app.get(ConsoleService).origin}/api/v1/operators`;
  expect(await service.checks()).toEqual(await documentedChecks('console'));
  expect((await fetch(address)).status).toBe(401);
  await service.stop();
  await expect(fetch(address)).rejects.toThrow('fetch failed');
});
