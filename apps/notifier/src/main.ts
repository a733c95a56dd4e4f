import { openNotifier } from '#lifecycle/rollouts/notifications/open-notifier';
import { FleetPlaceError } from '#platform/config/fleet-place';
import { runMain } from '#platform/service/run-main';
import { notifierModule } from './notifier.module.js';

const NO_FLEET = 'FLOTILLA_FLEET is empty: name the API server that has the fleet with context:NAME or in-cluster';

await runMain(
  'notifier',
  async (hub) => {
    const notifier = await openNotifier(hub);
    if (notifier === undefined) throw new FleetPlaceError(NO_FLEET);
    return { imports: [notifierModule(notifier)], port: hub.settings.notifierPort };
  },
  { hasKey: false },
);
