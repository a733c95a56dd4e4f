import { type DynamicModule, Module } from '@nestjs/common';
import type { Hub } from '#platform/hub/hub';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { CatalogPoller, CLIENTS, HUB } from './catalog-poller.js';
import { ContentController } from './content.controller.js';

@Module({})
class CatalogPollerModule {}

/** Wiring only. */
export const catalogPollerModule = (hub: Hub, clients: readonly KubeClient[]): DynamicModule => ({
  module: CatalogPollerModule,
  controllers: [ContentController],
  providers: [{ provide: HUB, useValue: hub }, { provide: CLIENTS, useValue: clients }, CatalogPoller],
  exports: [CatalogPoller],
});
