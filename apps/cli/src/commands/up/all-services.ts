import { type DynamicModule, Module } from '@nestjs/common';
import type { LiveController } from '#lifecycle/rollouts/controller/live-controller';
import type { Notifier } from '#lifecycle/rollouts/notifications/notifier';
import { clustersModule } from '#platform/clusters/clusters.module';
import type { Settings } from '#platform/config/settings';
import { FleetFolder } from '#platform/fleet/folder/fleet-folder';
import { ReleaseMarks } from '#platform/fleet/release-marks';
import type { SecretClusters } from '#platform/fleet/secret-clusters';
import type { Hub } from '#platform/hub/hub';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterRegistry } from '#platform/membership/cluster-registry';
import type { LoginRenewals } from '#platform/membership/login-renewals';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import type { ServiceParts } from '#platform/service/run-main';
import { healthIndicator } from '#platform/telemetry/health-indicator';
import { applierModule } from '../../../../applier/src/applier.module.js';
import { catalogPollerModule } from '../../../../catalog-poller/src/catalog-poller.module.js';
import type { ConsoleService } from '../../../../console/src/console.service.js';
import { fleetControllerModule } from '../../../../fleet-controller/src/fleet-controller.module.js';
import { notifierModule } from '../../../../notifier/src/notifier.module.js';
import { ResolverWorkerModule } from '../../../../resolver-worker/src/resolver-worker.module.js';

/** The clusters as each service sees them: each writes with a field manager of its own. */
type ClustersOfServices = Readonly<{
  poller: ServiceClusters;
  applier: ServiceClusters;
  registry?: ClusterRegistry;
  renewals?: LoginRenewals;
  /** Options with which commands reach a cluster. Default: its context. */
  access?: (cluster: string) => string;
}>;

/** The parts for rollouts if the hub has a fleet: the hub API as each service, and the controller. */
export type FleetOfServices = Readonly<{
  poller: KubeClient;
  applier: KubeClient;
  controller: LiveController;
  /** Absent if the fleet is in files: it has no Secrets of receivers. */
  notifier: Notifier | undefined;
  credentials: SecretClusters | undefined;
  /** The folder, if the fleet is in files. */
  folder: FleetFolder | undefined;
}>;

/**
 * Opens the console, which listens on a port of its own. It is loaded only on request, and reads no rows
 * before the first question.
 */
export async function openConsole(hub: Hub, consolePort: number): Promise<ConsoleService> {
  const { ConsoleService: Service } = await import('../../../../console/src/console.service.js');
  const { consoleParts } = await import('../../../../console/src/console-parts.js');
  const options = consoleParts(hub);
  return Service.open({ ...options, settings: { ...options.settings, consolePort } });
}

@Module({})
class FleetFolderModule {}

/** The health of a fleet in files; the command starts and ends the folder itself. */
const fleetFolderModule = (folder: FleetFolder): DynamicModule => ({
  module: FleetFolderModule,
  providers: [{ provide: FleetFolder, useValue: folder }, healthIndicator(FleetFolder, ({ check }) => check)],
});

/**
 * Poller, resolver worker and applier as parts of one process: one hub, one port, one health. Modules shut
 * down in the reverse of this order, which is that of the work. No service therefore hands work to one that
 * has ended.
 */
export const allServices = (
  { catalogPollerPort }: Settings,
  { poller, applier, registry, renewals, access }: ClustersOfServices,
  fleet?: FleetOfServices,
): ServiceParts => {
  const { applier: fleetHub, credentials: secrets } = fleet ?? {};
  const marks = fleetHub && secrets && new ReleaseMarks({ hub: fleetHub, secrets });
  return {
    imports: [
      clustersModule({
        services: [poller, applier],
        probing: applier,
        takes: true,
        beforeWrite: (cluster) => marks?.keep(cluster),
        access,
        ...(registry && { registry }),
        renewals,
      }),
      applierModule(applier, { besidePoller: true, fleetHub, secrets, marks }),
      ResolverWorkerModule,
      catalogPollerModule(poller, { fleetHub: fleet?.poller, credentials: secrets, renewals }),
      ...(fleet === undefined ? [] : [fleetControllerModule(fleet.controller)]),
      ...(fleet?.notifier === undefined ? [] : [notifierModule(fleet.notifier)]),
      ...(fleet?.folder === undefined ? [] : [fleetFolderModule(fleet.folder)]),
    ],
    port: catalogPollerPort,
    services: [
      ...['catalog-poller', 'resolver-worker', 'applier'],
      ...(fleet === undefined ? [] : ['fleet-controller']),
      ...(fleet?.notifier === undefined ? [] : ['notifier']),
    ],
  };
};
