import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LiveController } from '#lifecycle/rollouts/controller/live-controller';
import { Shutdown } from '#platform/service/shutdown';
import { healthIndicator } from '#platform/telemetry/health-indicator';

/** Starts the controller with the service, and hands over before the service ends. */
@Injectable()
class FleetControllerLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly controller: LiveController,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.controller.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.shutdown.drain(() => this.controller.stop());
  }
}

@Module({})
class FleetControllerModule {}

/** Wiring only. */
export const fleetControllerModule = (controller: LiveController): DynamicModule => ({
  module: FleetControllerModule,
  providers: [
    { provide: LiveController, useValue: controller },
    FleetControllerLifecycle,
    healthIndicator(LiveController, ({ check }) => check),
    healthIndicator(LiveController, ({ decisionCheck }) => decisionCheck),
  ],
});
