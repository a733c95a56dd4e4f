import { type DynamicModule, Module } from '@nestjs/common';
import { Notifier } from '#lifecycle/rollouts/notifications/notifier';
import { ReceiverReports } from '#platform/hub/hub-report';
import { healthIndicator } from '#platform/telemetry/health-indicator';
import { NotifyProcessor } from './notify.processor.js';

@Module({})
class NotifierModule {}

/** Wiring only. */
export const notifierModule = (notifier: Notifier): DynamicModule => ({
  module: NotifierModule,
  providers: [
    { provide: Notifier, useValue: notifier },
    NotifyProcessor,
    {
      provide: ReceiverReports,
      inject: [Notifier],
      useFactory: (one: Notifier) => new ReceiverReports(() => one.reports()),
    },
    healthIndicator(Notifier, ({ check }) => check),
  ],
});
