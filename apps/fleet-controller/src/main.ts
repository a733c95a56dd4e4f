import { openLiveController } from '#lifecycle/rollouts/controller/open-live-controller';
import { FleetPlaceError } from '#platform/config/fleet-place';
import { runWithoutRedis } from '#platform/service/run-main';
import { fleetControllerModule } from './fleet-controller.module.js';

const NO_FLEET = 'FLOTILLA_FLEET is empty: name the API server that has the fleet with context:NAME or in-cluster';

await runWithoutRedis('fleet-controller', async (frame) => {
  const controller = await openLiveController(frame);
  if (controller === undefined) throw new FleetPlaceError(NO_FLEET);
  return { imports: [fleetControllerModule(controller)], port: frame.settings.fleetControllerPort };
});
