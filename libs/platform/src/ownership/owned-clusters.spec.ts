import { describe, expect, it } from 'vitest';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import {
  type ClusterChange,
  type ClusterListener,
  fixedClusters,
  type ServiceClusters,
} from '../membership/service-clusters.port.js';
import { OwnedClusters } from './owned-clusters.js';
import type { ShardFollower, ShardLoss } from './shard-follower.port.js';

const clientOf = (cluster: string) => ({ cluster }) as KubeClient;
const shardOf = (cluster: string) => Number(cluster.slice(-1));
const joined = (cluster: string): ClusterChange => ({ kind: 'joined', cluster, client: clientOf(cluster) });

/** A fleet and an ownership that a test changes; `log` has what listeners and followers were called with. */
function fleet(...names: string[]) {
  const clients = new Map(names.map((name) => [name, clientOf(name)]));
  const listeners: ClusterListener[] = [];
  const followers: ShardFollower[] = [];
  const all: ServiceClusters = {
    ...fixedClusters([]),
    known: () => [...clients.keys()],
    knows: (cluster) => clients.has(cluster),
    clients: () => [...clients.values()],
    client: (cluster) => clients.get(cluster),
    subscribe: (listener) => {
      listeners.push(listener);
      void listener(names.map(joined));
      return () => undefined;
    },
  };
  const owned = new OwnedClusters({ all, ownership: { follow: (follower) => void followers.push(follower) }, shardOf });
  const log: string[] = [];
  const taken = () => log.splice(0);
  owned.subscribe((changes) => void log.push(...changes.map(({ kind, cluster }) => `${cluster} ${kind}`)));
  owned.follow({
    gained: (shard) => void log.push(`shard ${shard} gained`),
    lost: async (shard, how) => void log.push(`shard ${shard} ${how}, client ${owned.client(`c${shard}`)?.cluster}`),
  });
  return {
    owned,
    taken,
    gain: (shard: number) => followers[0]?.gained(shard),
    lose: (shard: number, how: ShardLoss) => followers[0]?.lost(shard, how),
    join: async (name: string) => {
      clients.set(name, clientOf(name));
      for (const listener of listeners) await listener([joined(name)]);
    },
    leave: async (name: string) => {
      clients.delete(name);
      for (const listener of listeners) await listener([{ kind: 'left', cluster: name }]);
    },
  };
}

describe('the clusters of a process', () => {
  it('are those of its shards, and join when their shard is gained', () => {
    const { owned, gain, taken } = fleet('c1', 'c2', 'd2');
    expect([owned.known(), owned.clients(), owned.client('c2'), taken()]).toEqual([[], [], undefined, []]);
    gain(2);
    expect(taken()).toEqual(['c2 joined', 'd2 joined', 'shard 2 gained']);
    expect(owned.known()).toEqual(['c2', 'd2']);
    expect(owned.client('c2')?.cluster).toBe('c2');
    expect(owned.client('c1')).toBeUndefined();
  });

  it('leave with a shard that moves, after what runs there has ended', async () => {
    const { owned, gain, lose, taken } = fleet('c1', 'c2');
    gain(1);
    taken();
    await lose(1, 'moved');
    expect(taken()).toEqual(['shard 1 moved, client c1', 'c1 left']);
    expect(owned.known()).toEqual([]);
  });

  it('are reported as lost once all work there has ended: their metrics are removed then', async () => {
    const { owned, gain, lose, taken, leave } = fleet('c1', 'd1', 'c2');
    const lost: string[] = [];
    owned.whenLost((cluster) => void lost.push(`${cluster} after ${taken().join(', ')}`));
    for (const shard of [1, 2]) gain(shard);
    taken();
    await lose(1, 'moved');
    expect(lost).toEqual(['c1 after shard 1 moved, client c1, c1 left, d1 left', 'd1 after ']);
    await leave('c2');
    expect(lost, 'the registry reports one that has left the hub').toHaveLength(2);
  });

  it('are withdrawn at once with a shard that was taken', async () => {
    const { gain, lose, taken } = fleet('c1');
    gain(1);
    taken();
    await lose(1, 'taken');
    expect(taken()).toEqual(['shard 1 taken, client undefined', 'c1 left']);
  });

  it('join and leave with the fleet; a shard without clusters is not worked for', async () => {
    const { gain, join, leave, taken } = fleet('c1');
    gain(1);
    gain(3);
    expect(taken()).toEqual(['c1 joined', 'shard 1 gained']);
    await join('c3');
    expect(taken()).toEqual(['c3 joined', 'shard 3 gained']);
    await join('c4');
    expect(taken()).toEqual([]);
    await leave('c3');
    expect(taken()).toEqual(['c3 left']);
    await join('c3');
    expect(taken(), 'its shard is worked for still').toEqual(['c3 joined']);
  });

  it('are given to who subscribes later', () => {
    const { owned, gain } = fleet('c1', 'c2');
    gain(1);
    const seen: string[] = [];
    owned.subscribe((changes) => void seen.push(...changes.map(({ cluster }) => cluster)));
    owned.follow({ gained: (shard) => void seen.push(`${shard}`), lost: async () => undefined });
    expect(seen).toEqual(['c1', '1']);
  });
});
