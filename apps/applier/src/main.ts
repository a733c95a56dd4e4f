import { APPLIER } from '#core/kernel/actions/field-managers';
import { clustersModule } from '#platform/hub/clusters.module';
import { managedClusters } from '#platform/hub/managed-clusters';
import { runMain } from '#platform/hub/run-main';
import { applierModule } from './applier.module.js';

await runMain(
  'applier',
  async ({ settings, clock, log }) => {
    const registry = await managedClusters(settings, { fieldManagers: [APPLIER], clock, log });
    const clusters = registry.of(APPLIER);
    const imports = [clustersModule({ services: [clusters], probing: clusters, registry }), applierModule(clusters)];
    return { imports, port: settings.applierPort };
  },
  { hasKey: true },
);
