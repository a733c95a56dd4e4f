import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { shardOf, shardWeights } from '#core/cluster/ownership/shard';
import type { Settings } from '../config/settings.js';
import type { Hub } from '../hub/hub.js';
import type { HubStore } from '../hub/hub-store.js';
import type { HubKey } from '../keys/hub-key.js';
import type { ServiceClusters } from '../membership/service-clusters.port.js';
import { OwnedClusters } from '../ownership/owned-clusters.js';
import { ShardOwnership } from '../ownership/shard-ownership.js';
import { ownUrl } from '../peers/own-url.js';
import { peerName } from '../peers/peer-name.js';
import { PeerRequests } from '../peers/peer-requests.js';
import { Peers } from '../peers/peers.js';
import type { HealthCheck } from '../telemetry/health-check.js';

/** The part of the fleet that one process of a service works for. */
export type OwnShards = Readonly<{
  ownership: ShardOwnership;
  clusters: OwnedClusters;
  check: HealthCheck;
  /** The peers of a poller. */
  peers?: Peers;
}>;

type OwnShardsHub = Pick<Hub, 'settings' | 'clock' | 'log'> &
  Readonly<{ store: Pick<HubStore, 'leases'> }> &
  Partial<Pick<Hub, 'key'>>;

/** `service`: the processes of one service share the clusters among them. */
export function ownShards(hub: OwnShardsHub, service: 'poller' | 'applier', all: ServiceClusters): OwnShards {
  const { store, settings, clock, log } = hub;
  const { shards, shardLease } = settings;
  const ownership = new ShardOwnership({
    leases: store.leases(service),
    clock,
    log,
    shards,
    leaseMs: shardLease,
    member: memberOf(hub, service),
    weights: () => shardWeights(all.known(), shards),
  });
  const clusters = new OwnedClusters({ all, ownership, shardOf: (cluster) => shardOf(cluster, shards) });
  const check = {
    name: 'shards',
    check: async () => {
      if (!ownership.hasBegun) return { up: false, detail: 'Redis has not granted a lease yet' };
      const owned = `${ownership.shards.length} of ${shards} shards with ${clusters.known().length} of ${all.known().length} clusters`;
      return ownership.isSure
        ? { up: true, detail: owned }
        : { up: true, degraded: true, detail: `work is suspended: Redis has not renewed the leases of ${owned}` };
    },
  };
  const asks = service === 'poller' && hub.key !== undefined;
  return { ownership, clusters, check, ...(asks && { peers: peersOf(hub.key, settings, ownership, all) }) };
}

/** Others ask a poller at the URL in its name. */
function memberOf({ settings, key }: OwnShardsHub, service: 'poller' | 'applier'): string {
  const id = `${hostname()} ${process.pid} ${randomUUID()}`;
  const url = service === 'poller' ? ownUrl(settings) : undefined;
  return url === undefined || key === undefined ? id : peerName(id, url, key);
}

function peersOf(key: HubKey, { contentUrl }: Settings, ownership: ShardOwnership, all: ServiceClusters): Peers {
  const requests = new PeerRequests(contentUrl === '' ? undefined : new URL(contentUrl).hostname);
  return new Peers({ ownership, key, requests, has: (cluster) => all.client(cluster) !== undefined });
}
