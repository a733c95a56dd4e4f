import { join } from 'node:path';
import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule, RequestMethod } from '@nestjs/common';
import { CatalogContents } from '#lifecycle/catalogs/catalog-contents';
import { CatalogReader } from '#lifecycle/catalogs/catalog-reader';
import { Lanes } from '#platform/fairness/lanes';
import type { Hub } from '#platform/hub/hub';
import { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { CatalogPoller, CLIENTS, HUB } from './catalog-poller.js';
import { ClusterCatalogPoller } from './cluster-catalog-poller.js';
import { ContentController } from './content.controller.js';
import { ExtensionPoller } from './extension-poller.js';
import { MetasMiddleware } from './metas.middleware.js';
import { Observer } from './observer.js';
import { PackageManifestsMiddleware } from './package-manifests.middleware.js';

@Module({})
class CatalogPollerModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(PackageManifestsMiddleware, MetasMiddleware)
      .forRoutes({ path: 'clusters/*path', method: RequestMethod.ALL });
  }
}

function contentsOf({ registry, content, settings, metrics: { lanes }, workRoom }: Hub): CatalogContents {
  const { pullConcurrency, pullsPerCluster, pullsPerNamespace, catalogReadConcurrency: readers } = settings;
  const pulls = { total: pullConcurrency, perCluster: pullsPerCluster, perNamespace: pullsPerNamespace };
  // One cluster, and so one of its namespaces, leaves a thread to the others.
  const most = Math.max(1, readers - 1);
  const reading = new Lanes({
    first: lanes.limiter('read', { total: readers, perCluster: most, perNamespace: most }),
    slow: lanes.limiter('read-slow', { total: 1, perCluster: 1, perNamespace: 1 }),
    firstMs: settings.catalogReadFirstDeadline,
  });
  const folder = join(settings.contentDir, 'catalog-poller');
  const limits = { pulls: lanes.limiter('pull', pulls), room: workRoom };
  return new CatalogContents(registry, content, folder, new CatalogReader({ lanes: reading }), limits);
}

/** Wiring only. Services in one process share `lookouts`, so that they agree on which clusters are left to OLM. */
export const catalogPollerModule = (
  hub: Hub,
  clients: readonly KubeClient[],
  lookouts = new OlmDetectors(hub, clients),
): DynamicModule => ({
  module: CatalogPollerModule,
  controllers: [ContentController],
  providers: [
    { provide: HUB, useValue: hub },
    { provide: CLIENTS, useValue: lookouts.guard(clients) },
    { provide: CatalogContents, useValue: contentsOf(hub) },
    { provide: OlmDetectors, useValue: lookouts },
    CatalogPoller,
    ClusterCatalogPoller,
    MetasMiddleware,
    PackageManifestsMiddleware,
    ExtensionPoller,
    Observer,
  ],
  exports: [CatalogPoller, Observer],
});
