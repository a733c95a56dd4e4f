import { clustersModule } from '#platform/clusters/clusters.module';
import { openServiceClusters } from '#platform/clusters/open-service-clusters';
import { runMain } from '#platform/service/run-main';
import { catalogPollerModule } from './catalog-poller.module.js';

await runMain(
  'catalog-poller',
  async (hub) => {
    const { fleetHub, secrets, registry, shards } = await openServiceClusters(hub, 'poller');
    const { clusters } = shards;
    const imports = [
      clustersModule({ services: [clusters], probing: clusters, registry, shards }),
      catalogPollerModule(clusters, { fleetHub, credentials: secrets }),
    ];
    return { imports, port: hub.settings.catalogPollerPort };
  },
  { hasKey: true },
);
