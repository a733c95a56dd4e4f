import type { BeforeApplicationShutdown, DynamicModule } from '@nestjs/common';
import { Shutdown } from '#platform/service/shutdown';
import type { HealthCheck } from '#platform/telemetry/health-check';
import { HealthIndicator } from '#platform/telemetry/health-indicator';

export type Parts = Readonly<{
  check?: HealthCheck;
  /** Run once when the service ends, before HTTP does. */
  drain: (deadlineMs: number) => Promise<void>;
}>;

class PartsModule {}

/** A module with one health check and one part that drains. */
export const partsModule = ({ check, drain }: Parts): DynamicModule => ({
  module: PartsModule,
  providers: [
    ...(check === undefined ? [] : [{ provide: 'check', useValue: new HealthIndicator(check) }]),
    {
      provide: 'drain',
      inject: [Shutdown],
      useFactory: (shutdown: Shutdown): BeforeApplicationShutdown => ({
        beforeApplicationShutdown: () => shutdown.drain(drain),
      }),
    },
  ],
});
