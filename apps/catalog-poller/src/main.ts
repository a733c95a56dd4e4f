import { clustersModule } from '#platform/clusters/clusters.module';
import { openServiceClusters } from '#platform/clusters/open-service-clusters';
import { ownLogins } from '#platform/clusters/own-logins';
import { runMain } from '#platform/service/run-main';
import { catalogPollerModule } from './catalog-poller.module.js';

await runMain(
  'catalog-poller',
  async (hub) => {
    const { fleetHub, secrets, registry, shards } = await openServiceClusters(hub, 'poller');
    const { clusters } = shards;
    const renewals = ownLogins(hub, registry, fleetHub, shards);
    const imports = [
      clustersModule({ services: [clusters], probing: clusters, registry, shards, renewals }),
      catalogPollerModule(clusters, { fleetHub, credentials: secrets, renewals }),
    ];
    return { imports, port: hub.settings.catalogPollerPort };
  },
  { hasKey: true },
);
