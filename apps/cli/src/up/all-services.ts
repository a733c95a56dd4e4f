import type { Settings } from '#platform/config/settings';
import { clustersModule } from '#platform/hub/clusters.module';
import type { ServiceParts } from '#platform/hub/run-main';
import type { ClusterRegistry } from '#platform/membership/cluster-registry';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import { applierModule } from '../../../applier/src/applier.module.js';
import { catalogPollerModule } from '../../../catalog-poller/src/catalog-poller.module.js';
import { ResolverWorkerModule } from '../../../resolver-worker/src/resolver-worker.module.js';

/** The clusters as each service sees them: each writes with a field manager of its own. */
export type ClustersOfServices = Readonly<{
  poller: ServiceClusters;
  applier: ServiceClusters;
  registry?: ClusterRegistry;
}>;

/**
 * Poller, resolver worker and applier as parts of one process: one hub, one port, one health.
 * Modules shut down in the reverse of this order, which is that of the work: no service hands work
 * on to one that has ended.
 */
export const allServices = (
  { catalogPollerPort }: Settings,
  { poller, applier, registry }: ClustersOfServices,
): ServiceParts => ({
  imports: [
    clustersModule({ services: [poller, applier], probing: applier, takes: true, ...(registry && { registry }) }),
    applierModule(applier, { besidePoller: true }),
    ResolverWorkerModule,
    catalogPollerModule(poller),
  ],
  port: catalogPollerPort,
  services: ['catalog-poller', 'resolver-worker', 'applier'],
});
