import { Refusal } from '#testing/cluster/objects/refusal';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import type { SimulatedFleet } from '#testing/cluster/simulated-fleet';
import { pause } from '#testing/patience';
import { namespace, operatorGroup } from '../lifecycle/lifecycle-objects.js';

/** Troubles of a cluster. `wide`: it has thousands of namespaces. */
export const TROUBLES = ['slow', 'hanging', 'failing', 'expired', 'wide'] as const;
export type Trouble = (typeof TROUBLES)[number];

const SLOW_MS = 5_000;
const teamNamespace = (index: number): string => `team-${index + 1}`;

/** Creates the namespaces of a wide cluster, without anything of OLM in them. */
export function widen(cluster: SimulatedCluster, namespaces: number): void {
  for (let index = 0; index < namespaces; index += 1) cluster.create(namespace(teamNamespace(index)));
}

/**
 * Begins the trouble. `groups`: the number of namespaces of a wide cluster that get an OperatorGroup; each is
 * work for the hub.
 */
export function begin(trouble: Trouble, fleet: SimulatedFleet, cluster: SimulatedCluster, groups: number): void {
  switch (trouble) {
    case 'slow':
      cluster.delay = () => pause(SLOW_MS);
      break;
    case 'hanging':
      cluster.delay = () => Promise.withResolvers<void>().promise;
      break;
    case 'failing':
      cluster.failAll({}, new Refusal(500, 'InternalError', 'etcdserver: no leader'));
      break;
    case 'expired':
      fleet.expireCertificate(true);
      cluster.dropConnections();
      break;
    case 'wide':
      for (let index = 0; index < groups; index += 1) cluster.create(operatorGroup(teamNamespace(index)));
  }
}
