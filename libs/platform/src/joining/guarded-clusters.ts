import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { ClusterChange, ServiceClusters } from '../membership/service-clusters.port.js';
import type { ClusterWrites } from './cluster-writes.js';
import { GuardedClient } from './guarded-client.js';

/** The same clusters, each with one client that writes only while `writesOf` its cluster allows it. */
export function guardClusters(
  clusters: ServiceClusters,
  writesOf: (cluster: string) => ClusterWrites,
): ServiceClusters {
  const guarded = new WeakMap<KubeClient, Readonly<{ writes: ClusterWrites; client: GuardedClient }>>();
  const guard = (client: KubeClient): GuardedClient => {
    const writes = writesOf(client.cluster);
    const known = guarded.get(client);
    if (known?.writes === writes) return known.client;
    // A cluster that has left and comes back has writes of its own.
    const fresh = new GuardedClient(client, writes);
    guarded.set(client, { writes, client: fresh });
    return fresh;
  };
  const guardedChange = (change: ClusterChange): ClusterChange =>
    change.kind === 'joined' ? { ...change, client: guard(change.client) } : change;
  return {
    known: () => clusters.known(),
    knows: (cluster) => clusters.knows(cluster),
    clients: () => clusters.clients().map(guard),
    client: (cluster) => {
      const client = clusters.client(cluster);
      return client === undefined ? undefined : guard(client);
    },
    hasLeft: (cluster) => clusters.hasLeft(cluster),
    isPaused: (cluster) => clusters.isPaused(cluster),
    isObserved: (cluster) => clusters.isObserved(cluster),
    problemOf: (cluster) => clusters.problemOf(cluster),
    replacedBy: (cluster) => clusters.replacedBy?.(cluster),
    disputeOf: (cluster) => clusters.disputeOf?.(cluster),
    knownLogin: (cluster) => clusters.knownLogin(cluster),
    labelsOf: (cluster) => clusters.labelsOf?.(cluster) ?? {},
    subscribe: (listener) => clusters.subscribe((changes) => listener(changes.map(guardedChange))),
  };
}
