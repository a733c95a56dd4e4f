import { APPLIER } from '#core/kernel/actions/field-managers';
import { clustersModule } from '#platform/hub/clusters.module';
import { managedClients } from '#platform/hub/managed-clusters';
import { runMain } from '#platform/hub/run-main';
import { applierModule } from './applier.module.js';

await runMain(
  'applier',
  async ({ settings }) => {
    const clients = await managedClients(settings, APPLIER);
    const imports = [clustersModule({ all: clients, probing: clients }), applierModule(clients)];
    return { imports, port: settings.applierPort };
  },
  { hasKey: true },
);
