import {
  type DynamicModule,
  type FactoryProvider,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { OlmDetectors } from '../joining/olm-detectors.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { healthIndicator } from '../telemetry/health-indicator.js';
import { ClusterBudgets } from './cluster-budgets.js';
import type { Hub } from './hub.js';
import { CLIENTS, HUB } from './hub-tokens.js';

/**
 * The clusters of a process: all clients, and those by which it is found out whether
 * a cluster is left to OLM.
 */
export type ProcessClients = Readonly<{ all: readonly KubeClient[]; probing: readonly KubeClient[] }>;

@Module({})
class ClustersModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(private readonly budgets: ClusterBudgets) {}

  onApplicationBootstrap(): void {
    this.budgets.start();
  }

  onModuleDestroy(): void {
    this.budgets.stop();
  }
}

/**
 * Gives the services of a process one view of its clusters: which ones are left to OLM, and
 * which exceed their budgets.
 */
export const clustersModule = ({ all, probing }: ProcessClients): DynamicModule => ({
  module: ClustersModule,
  global: true,
  providers: [
    { provide: ClusterBudgets, inject: [HUB], useFactory: (hub: Hub) => new ClusterBudgets({ ...hub, clients: all }) },
    { provide: OlmDetectors, inject: [HUB], useFactory: (hub: Hub) => new OlmDetectors(hub, probing) },
    healthIndicator(OlmDetectors, ({ check }) => check),
    healthIndicator(ClusterBudgets, ({ check }) => check),
  ],
  exports: [OlmDetectors],
});

/** The clients of one service, which refuse to write to clusters that are left to OLM. */
export const guardedClients = (clients: readonly KubeClient[]): FactoryProvider<readonly KubeClient[]> => ({
  provide: CLIENTS,
  inject: [OlmDetectors],
  useFactory: (detectors: OlmDetectors) => detectors.guard(clients),
});
