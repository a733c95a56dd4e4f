import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { shardOf, shardWeights } from '#core/fleet/ownership/shard';
import type { Hub } from '../hub/hub.js';
import type { ServiceClusters } from '../membership/service-clusters.port.js';
import type { HealthCheck } from '../telemetry/health-check.js';
import { OwnedClusters } from './owned-clusters.js';
import { RedisLeases } from './redis-leases.js';
import { ShardOwnership } from './shard-ownership.js';

/** The part of the fleet that one process of a service works for. */
export type OwnShards = Readonly<{ ownership: ShardOwnership; clusters: OwnedClusters; check: HealthCheck }>;

/** `service`: the processes of one service share the clusters among them. */
export function ownShards(
  { redis, settings, clock, log }: Pick<Hub, 'redis' | 'settings' | 'clock' | 'log'>,
  service: 'poller' | 'applier',
  all: ServiceClusters,
): OwnShards {
  const { shards, shardLease, redisPrefix } = settings;
  const ownership = new ShardOwnership({
    leases: new RedisLeases(redis, { prefix: redisPrefix, role: service, shards }),
    clock,
    log,
    shards,
    leaseMs: shardLease,
    member: `${hostname()} ${process.pid} ${randomUUID()}`,
    weights: () => shardWeights(all.known(), shards),
  });
  const clusters = new OwnedClusters({ all, ownership, shardOf: (cluster) => shardOf(cluster, shards) });
  const check = {
    name: 'shards',
    check: async () => {
      if (!ownership.hasBegun) return { up: false, detail: 'Redis has not given out a lease yet' };
      const owned = `${ownership.shards.length} of ${shards} shards with ${clusters.known().length} of ${all.known().length} clusters`;
      return ownership.isSure
        ? { up: true, detail: owned }
        : { up: true, degraded: true, detail: `nothing is done: Redis has not renewed the leases of ${owned}` };
    },
  };
  return { ownership, clusters, check };
}
