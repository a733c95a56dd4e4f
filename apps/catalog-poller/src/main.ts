import { POLLER } from '#core/kernel/actions/field-managers';
import { clustersModule } from '#platform/clusters/clusters.module';
import { managedClusters } from '#platform/clusters/managed-clusters';
import { ownShards } from '#platform/clusters/own-shards';
import { openFleetHub, openSecretClusters } from '#platform/fleet/open-fleet-hub';
import { runMain } from '#platform/service/run-main';
import { catalogPollerModule } from './catalog-poller.module.js';

await runMain(
  'catalog-poller',
  async (hub) => {
    const {
      settings,
      clock,
      log,
      store: { claims },
    } = hub;
    const fleetHub = await openFleetHub(settings, { fieldManager: POLLER });
    const secrets = await openSecretClusters(fleetHub, hub, true);
    const registry = await managedClusters(settings, { fieldManagers: [POLLER], clock, log, secrets, claims });
    const shards = ownShards(hub, 'poller', registry.of(POLLER));
    const { clusters } = shards;
    const imports = [
      clustersModule({ services: [clusters], probing: clusters, registry, shards }),
      catalogPollerModule(clusters, { fleetHub, credentials: secrets }),
    ];
    return { imports, port: settings.catalogPollerPort };
  },
  { hasKey: true },
);
