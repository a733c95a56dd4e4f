import { POLLER } from '#core/kernel/actions/field-managers';
import { clustersModule } from '#platform/hub/clusters.module';
import { managedClients } from '#platform/hub/managed-clusters';
import { runMain } from '#platform/hub/run-main';
import { catalogPollerModule } from './catalog-poller.module.js';

await runMain(
  'catalog-poller',
  async ({ settings }) => {
    const clients = await managedClients(settings, POLLER);
    const imports = [clustersModule({ all: clients, probing: clients }), catalogPollerModule(clients)];
    return { imports, port: settings.catalogPollerPort };
  },
  { hasKey: true },
);
