import { POLLER } from '#core/kernel/actions/field-managers';
import { clustersModule } from '#platform/hub/clusters.module';
import { managedClusters } from '#platform/hub/managed-clusters';
import { runMain } from '#platform/hub/run-main';
import { catalogPollerModule } from './catalog-poller.module.js';

await runMain(
  'catalog-poller',
  async ({ settings, clock, log }) => {
    const registry = await managedClusters(settings, { fieldManagers: [POLLER], clock, log });
    const clusters = registry.of(POLLER);
    const imports = [
      clustersModule({ services: [clusters], probing: clusters, registry }),
      catalogPollerModule(clusters),
    ];
    return { imports, port: settings.catalogPollerPort };
  },
  { hasKey: true },
);
