import { APPLIER } from '#core/kernel/actions/field-managers';
import { clustersModule } from '#platform/clusters/clusters.module';
import { managedClusters } from '#platform/clusters/managed-clusters';
import { ownShards } from '#platform/clusters/own-shards';
import { openFleetHub, openSecretClusters } from '#platform/fleet/open-fleet-hub';
import { ReleaseMarks } from '#platform/fleet/release-marks';
import { runMain } from '#platform/service/run-main';
import { applierModule } from './applier.module.js';

await runMain(
  'applier',
  async (hub) => {
    const {
      settings,
      clock,
      log,
      store: { claims },
    } = hub;
    const fleetHub = await openFleetHub(settings, { fieldManager: APPLIER });
    const secrets = await openSecretClusters(fleetHub, hub);
    const registry = await managedClusters(settings, { fieldManagers: [APPLIER], clock, log, secrets, claims });
    const shards = ownShards(hub, 'applier', registry.of(APPLIER));
    const { clusters } = shards;
    const marks = fleetHub && secrets && new ReleaseMarks({ hub: fleetHub, secrets });
    const beforeWrite = (cluster: string) => marks?.keep(cluster);
    const imports = [
      clustersModule({ services: [clusters], probing: clusters, registry, shards, takes: true, beforeWrite }),
      applierModule(clusters, { fleetHub, secrets, marks, owns: (cluster) => clusters.owns(cluster) }),
    ];
    return { imports, port: settings.applierPort };
  },
  { hasKey: true },
);
