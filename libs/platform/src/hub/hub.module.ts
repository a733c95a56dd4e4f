import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { unreadableJobsCheck } from '../queue/unreadable-jobs-check.js';
import { healthIndicator } from '../telemetry/health-indicator.js';
import type { Hub } from './hub.js';
import { HubReportLifecycle, REPORTS_AS } from './hub-report.js';
import * as tokens from './hub-tokens.js';

@Module({})
class HubModule {}

/**
 * Gives every module the shared parts of this process: the hub under its token, and each part under its own.
 * `reportsAs`: the service that the console shows; absent: it shows none.
 */
export function hubModule(hub: Hub, reportsAs?: string): DynamicModule {
  const parts = [
    { provide: tokens.HUB, useValue: hub },
    { provide: tokens.SETTINGS, useValue: hub.settings },
    { provide: tokens.LOG, useValue: hub.log },
    { provide: tokens.METRICS, useValue: hub.metrics },
    { provide: tokens.QUEUES, useValue: hub.queues },
    { provide: tokens.CONTENT, useValue: hub.content },
    { provide: tokens.ACCESS, useValue: hub.access },
    { provide: tokens.RANDOM, useValue: Math.random },
  ];
  return {
    module: HubModule,
    global: true,
    imports: [DiscoveryModule],
    providers: [
      ...parts,
      healthIndicator<Hub>(tokens.HUB, ({ store }) => store.check),
      healthIndicator<Hub>(tokens.HUB, ({ queues }) => unreadableJobsCheck(Object.values(queues))),
      ...(reportsAs === undefined ? [] : [{ provide: REPORTS_AS, useValue: reportsAs }, HubReportLifecycle]),
    ],
    exports: parts.map(({ provide }) => provide),
  };
}
