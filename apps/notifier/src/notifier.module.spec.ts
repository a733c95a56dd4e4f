import { expect, it, onTestFinished } from 'vitest';
import { openNotifier } from '#lifecycle/rollouts/notifications/open-notifier';
import { documentedChecks, startTestedService } from '#platform/service/service-module.fixture';
import { notifierModule } from './notifier.module.js';

it('the notifier has the health checks of the documentation, and ends its work', async () => {
  const service = await startTestedService({
    name: 'notifier',
    environment: { FLOTILLA_FLEET: 'context:east' },
    modulesOf: async (hub) => {
      const notifier = await openNotifier(hub);
      return notifier === undefined ? [] : [notifierModule(notifier)];
    },
  });
  onTestFinished(() => service.stop());
  expect(await service.checks()).toEqual(await documentedChecks('notifier'));
  await service.stop();
  expect(service.ended).toEqual(['work']);
});
