import { expect, it, onTestFinished } from 'vitest';
import { openLiveController } from '#lifecycle/rollouts/controller/open-live-controller';
import { documentedChecks, startTestedService } from '#platform/service/service-module.fixture';
import { fleetControllerModule } from './fleet-controller.module.js';

it('the fleet controller has the health checks of the documentation, and hands over before it ends', async () => {
  const service = await startTestedService({
    name: 'fleet-controller',
    environment: { FLOTILLA_FLEET: 'context:east' },
    hasNoStore: true,
    modulesOf: async (hub) => {
      const controller = await openLiveController(hub);
      return controller === undefined ? [] : [fleetControllerModule(controller)];
    },
  });
  onTestFinished(() => service.stop());
  expect(await service.checks()).toEqual(await documentedChecks('fleet controller'));
  await service.stop();
  expect(service.ended).toEqual(['work']);
});
