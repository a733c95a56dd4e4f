import { Refusal } from '#testing/cluster/objects/refusal';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import type { SimulatedFleet } from '#testing/cluster/simulated-fleet';
import { pause } from '#testing/patience';
import { namespace, operatorGroup } from '../lifecycle/lifecycle-objects.js';

/** What is wrong with a cluster. `wide`: it has thousands of namespaces. */
export const TROUBLES = ['slow', 'hanging', 'failing', 'expired', 'wide'] as const;
export type Trouble = (typeof TROUBLES)[number];

const SLOW_MS = 5_000;
const teamNamespace = (index: number): string => `team-${index + 1}`;

/** Namespaces of a wide cluster, in which nothing of OLM is. */
export function widen(cluster: SimulatedCluster, namespaces: number): void {
  for (let index = 0; index < namespaces; index += 1) cluster.create(namespace(teamNamespace(index)));
}

/**
 * Begins what is wrong. `groups`: in so many namespaces of a wide cluster an OperatorGroup is made, each of
 * which is work for the hub.
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
