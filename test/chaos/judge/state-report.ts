import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import type { ServiceProcess } from '../../../apps/cli/src/commands/demo/environment/service-process.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const KINDS = ['CatalogSource', 'Subscription', 'InstallPlan', 'ClusterServiceVersion'] as const;
const LINES = 25;

/**
 * Returns the first facts about a run that hangs: the states of operators, and the last reports about the
 * cluster.
 */
export async function stateReport(cluster: SimulatedCluster, services: readonly ServiceProcess[]): Promise<string> {
  const objects = KINDS.flatMap((kind) =>
    cluster
      .list({ apiVersion: V1ALPHA1, kind })
      .map(({ metadata: { namespace, name }, status }) => `${kind} ${namespace}/${name} ${JSON.stringify(status)}`),
  );
  const logs = await Promise.all(
    services.map(async (service) => {
      const lines = (await service.logged()).filter((line) => line['cluster'] === cluster.name);
      return [`--- ${service.name} about ${cluster.name}`, ...lines.slice(-LINES).map((line) => JSON.stringify(line))];
    }),
  );
  return [`--- ${cluster.name}`, ...objects, ...logs.flat()].join('\n');
}
