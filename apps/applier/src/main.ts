import { clustersModule } from '#platform/clusters/clusters.module';
import { openServiceClusters } from '#platform/clusters/open-service-clusters';
import { ownLogins } from '#platform/clusters/own-logins';
import { ReleaseMarks } from '#platform/fleet/release-marks';
import { runMain } from '#platform/service/run-main';
import { applierModule } from './applier.module.js';

await runMain(
  'applier',
  async (hub) => {
    const { fleetHub, secrets, registry, shards } = await openServiceClusters(hub, 'applier');
    const { clusters } = shards;
    const renewals = ownLogins(hub, registry, fleetHub, shards);
    const marks = fleetHub && secrets && new ReleaseMarks({ hub: fleetHub, secrets });
    const beforeWrite = (cluster: string) => marks?.keep(cluster);
    const imports = [
      clustersModule({ services: [clusters], probing: clusters, registry, shards, renewals, takes: true, beforeWrite }),
      applierModule(clusters, { fleetHub, secrets, marks, owns: (cluster) => clusters.owns(cluster) }),
    ];
    return { imports, port: hub.settings.applierPort };
  },
  { hasKey: true },
);
