import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { OlmDetectors } from '../joining/olm-detectors.js';
import type { ClusterRegistry } from '../membership/cluster-registry.js';
import type { ServiceClusters } from '../membership/service-clusters.port.js';
import { healthIndicator } from '../telemetry/health-indicator.js';
import type { Metrics } from '../telemetry/metrics.js';
import { ClusterBudgets } from './cluster-budgets.js';
import type { Hub } from './hub.js';
import { CLUSTERS, HUB, METRICS } from './hub-tokens.js';

/** The clusters of a process as its services see them. */
export type ProcessClusters = Readonly<{
  services: readonly ServiceClusters[];
  /** With the clients by which it is found out whether a cluster is left to OLM. */
  probing: ServiceClusters;
  /** Reads the kubeconfigs as long as the process runs; absent where the clusters never change. */
  registry?: ClusterRegistry;
}>;

const REGISTRY = Symbol('registry of the clusters');

@Module({})
class ClustersModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly budgets: ClusterBudgets,
    @Inject(REGISTRY) private readonly registry: ClusterRegistry | null,
    @Inject(METRICS) metrics: Metrics,
  ) {
    registry?.whenGone((cluster) => void metrics.clusterGone(cluster));
  }

  onApplicationBootstrap(): void {
    this.budgets.start();
    this.registry?.start();
  }

  onModuleDestroy(): void {
    this.budgets.stop();
    this.registry?.stop();
  }
}

/**
 * Gives the services of a process one view of its clusters: which there are, which ones are left to OLM, and
 * which exceed their budgets.
 */
export const clustersModule = ({ services, probing, registry }: ProcessClusters): DynamicModule => ({
  module: ClustersModule,
  global: true,
  providers: [
    { provide: REGISTRY, useValue: registry ?? null },
    {
      provide: ClusterBudgets,
      inject: [HUB],
      useFactory: (hub: Hub) =>
        new ClusterBudgets({ ...hub, clients: () => services.flatMap((clusters) => clusters.clients()) }),
    },
    { provide: OlmDetectors, inject: [HUB], useFactory: (hub: Hub) => new OlmDetectors(hub, probing) },
    healthIndicator(OlmDetectors, ({ check }) => check),
    healthIndicator(ClusterBudgets, ({ check }) => check),
    ...(registry === undefined ? [] : [healthIndicator<ClusterRegistry>(REGISTRY, ({ check }) => check)]),
  ],
  exports: [OlmDetectors],
});

/** The clusters of one service, with clients that refuse to write where nothing may be written. */
export const guardedClusters = (clusters: ServiceClusters): FactoryProvider<ServiceClusters> => ({
  provide: CLUSTERS,
  inject: [OlmDetectors],
  useFactory: (detectors: OlmDetectors) => detectors.guard(clusters),
});
