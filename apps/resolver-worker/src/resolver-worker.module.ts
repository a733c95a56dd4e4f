import { type DynamicModule, Module } from '@nestjs/common';
import type { Hub } from '#platform/hub/hub';
import { HUB, ResolverWorker } from './resolver-worker.js';

@Module({})
class ResolverWorkerModule {}

/** Wiring only. */
export const resolverWorkerModule = (hub: Hub): DynamicModule => ({
  module: ResolverWorkerModule,
  providers: [{ provide: HUB, useValue: hub }, ResolverWorker],
  exports: [ResolverWorker],
});
