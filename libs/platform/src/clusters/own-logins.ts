import type { Hub } from '../hub/hub.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { ClusterRegistry } from '../membership/cluster-registry.js';
import { LoginRenewals } from '../membership/login-renewals.js';
import { loginStore } from '../membership/stored-logins.js';
import { mountedLogins } from './mounted-logins.js';
import type { OwnShards } from './own-shards.js';

/**
 * Renews the logins of the clusters that this process owns: those of its shards, under their leases; without
 * shards all. `fleetHub` stores logins of FleetClusters.
 */
export function ownLogins(
  { settings, clock, log }: Pick<Hub, 'settings' | 'clock' | 'log'>,
  registry: ClusterRegistry,
  fleetHub: KubeClient | undefined,
  shards?: Pick<OwnShards, 'ownership' | 'clusters'>,
): LoginRenewals {
  const isOwn = (cluster: string) =>
    shards === undefined || (shards.clusters.owns(cluster) && shards.ownership.acts(cluster));
  const logins = () => new Map([...registry.logins()].filter(([cluster]) => isOwn(cluster)));
  return new LoginRenewals({ logins, store: loginStore(fleetHub, mountedLogins(settings)), clock, log });
}
