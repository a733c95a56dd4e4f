import { type BeforeApplicationShutdown, type DynamicModule, Injectable, Module } from '@nestjs/common';
import { healthIndicator } from '#platform/telemetry/health-indicator';
import { ConsoleService } from './console.service.js';

/** Ends the console before the connections that it stands on. */
@Injectable()
class ConsoleLifecycle implements BeforeApplicationShutdown {
  constructor(private readonly service: ConsoleService) {}

  beforeApplicationShutdown(): Promise<void> {
    return this.service.stop();
  }
}

@Module({})
class ConsoleModule {}

/** Wiring only; the service listens already. */
export const consoleModule = (service: ConsoleService): DynamicModule => ({
  module: ConsoleModule,
  providers: [
    { provide: ConsoleService, useValue: service },
    ConsoleLifecycle,
    healthIndicator(ConsoleService, ({ check }) => check),
  ],
});
