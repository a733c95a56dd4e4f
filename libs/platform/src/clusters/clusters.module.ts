import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { optionsOfPeople } from '#core/cluster/advice/command-in';
import { SYSTEM_NAMESPACE } from '#core/cluster/joining/hub-instance';
import type { Hub } from '../hub/hub.js';
import { CLUSTERS, HUB, METRICS, PEERS, SHARDS } from '../hub/hub-tokens.js';
import type { ClusterRegistry } from '../membership/cluster-registry.js';
import type { LoginRenewals } from '../membership/login-renewals.js';
import type { ServiceClusters } from '../membership/service-clusters.port.js';
import { healthIndicator } from '../telemetry/health-indicator.js';
import type { Metrics } from '../telemetry/metrics/metrics.js';
import { ClusterBudgets } from './cluster-budgets.js';
import { OlmDetectors } from './olm-detectors.js';
import type { OwnShards } from './own-shards.js';

/** The clusters of a process as its services see them. */
type ProcessClusters = Readonly<{
  services: readonly ServiceClusters[];
  /** The clusters, with the clients that find out if a cluster is left to OLM. */
  probing: ServiceClusters;
  /** Reads the kubeconfigs as long as the process runs. Absent if the clusters never change. */
  registry?: ClusterRegistry;
  /** Absent if this process works for all clusters. */
  shards?: OwnShards;
  /** Renews the logins that the process owns. Absent if clusters never change. */
  renewals?: LoginRenewals | undefined;
  /** True if the process writes to each cluster the name of its managing hub. The applier does. */
  takes?: boolean;
  /** Called before anything is written to a cluster. The write waits for it. */
  beforeWrite?: ((cluster: string) => Promise<void> | undefined) | undefined;
  /** Options for commands to reach a cluster. Default: its context, if people have it. */
  access?: ((cluster: string) => string) | undefined;
}>;

const REGISTRY = Symbol('registry of the clusters');
const OWN_SHARDS = Symbol('ownership of shards');
const RENEWALS = Symbol('renewals of logins');

@Module({})
class ClustersModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(
    private readonly budgets: ClusterBudgets,
    @Inject(REGISTRY) private readonly registry: ClusterRegistry | null,
    @Inject(OWN_SHARDS) private readonly shards: OwnShards | null,
    @Inject(RENEWALS) private readonly renewals: LoginRenewals | null,
    @Inject(METRICS) metrics: Metrics,
  ) {
    registry?.whenGone((cluster) => void metrics.clusterGone(cluster));
    if (renewals !== null) metrics.logins.countBy(() => renewals.counts());
    shards?.clusters.whenLost((cluster) => void metrics.clusterGone(cluster));
  }

  onApplicationBootstrap(): void {
    this.budgets.start();
    this.registry?.start();
    this.shards?.ownership.start();
    this.renewals?.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.budgets.stop();
    this.registry?.stop();
    await this.renewals?.stop();
  }

  /** Leases are renewed until here, since the services first finish the work that they have begun. */
  async onApplicationShutdown(): Promise<void> {
    await this.shards?.ownership.stop();
  }
}

/**
 * Gives the services of a process one view of its clusters: the list, the clusters left to OLM, and the
 * clusters that exceed their budgets.
 */
export const clustersModule = ({
  services,
  probing,
  registry,
  shards,
  renewals,
  takes = false,
  beforeWrite,
  access = (cluster) => optionsOfPeople(probing.knownLogin(cluster)),
}: ProcessClusters): DynamicModule => ({
  module: ClustersModule,
  global: true,
  providers: [
    { provide: REGISTRY, useValue: registry ?? null },
    { provide: OWN_SHARDS, useValue: shards ?? null },
    { provide: RENEWALS, useValue: renewals ?? null },
    { provide: SHARDS, useValue: shards?.clusters },
    { provide: PEERS, useValue: shards?.peers },
    {
      provide: ClusterBudgets,
      inject: [HUB],
      useFactory: (hub: Hub) =>
        new ClusterBudgets({ ...hub, clients: () => services.flatMap((clusters) => clusters.clients()) }),
    },
    {
      provide: OlmDetectors,
      inject: [HUB],
      useFactory: (hub: Hub) =>
        new OlmDetectors(hub, probing, (cluster) => shards?.ownership.acts(cluster) ?? true, {
          ...{ takes, beforeWrite, access },
          onMarksAwaited: (cluster) => void askApplier(hub, cluster),
        }),
    },
    healthIndicator(OlmDetectors, ({ check }) => check),
    healthIndicator(OlmDetectors, ({ owners }) => owners.check),
    healthIndicator(ClusterBudgets, ({ check }) => check),
    healthIndicator<Hub>(HUB, ({ endedImages }) => endedImages.check),
    ...(shards === undefined ? [] : [healthIndicator<OwnShards>(OWN_SHARDS, ({ check }) => check)]),
    ...(renewals === undefined ? [] : [healthIndicator<LoginRenewals>(RENEWALS, ({ check }) => check)]),
    ...(registry === undefined ? [] : [healthIndicator<ClusterRegistry>(REGISTRY, ({ check }) => check)]),
  ],
  exports: [OlmDetectors, SHARDS, PEERS],
});

/** The clusters of one service, with clients that refuse writes to clusters without permission to write. */
export const guardedClusters = (clusters: ServiceClusters): FactoryProvider<ServiceClusters> => ({
  provide: CLUSTERS,
  inject: [OlmDetectors],
  useFactory: (detectors: OlmDetectors) => detectors.guard(clusters),
});

/** Has the applier write to namespace kube-system the mark that a hub with the same identity waits for. */
async function askApplier({ queues, log }: Hub, cluster: string): Promise<void> {
  try {
    await queues.apply.add({ v: 1, cluster, namespace: SYSTEM_NAMESPACE });
  } catch (error) {
    log.debug({ cluster, error }, 'could not ask the applier');
  }
}
