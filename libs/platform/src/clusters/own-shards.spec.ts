import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { shardOf } from '#core/cluster/ownership/shard';
import { ManualClock } from '../clock/manual-clock.js';
import { readSettings } from '../config/settings.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { fixedClusters } from '../membership/service-clusters.port.js';
import { RedisLeases } from '../ownership/redis-leases.js';
import { silentLog } from '../telemetry/log.port.js';
import { ownShards } from './own-shards.js';

const LEASE_MS = 30_000;
const SHARDS = 8;
const NAMES = ['east', 'west', 'north'];

/** A Redis that gives out every shard that is asked for, until it is away. */
function hub(service: 'poller' | 'applier' = 'poller') {
  const clock = new ManualClock();
  const keys = new Set<string>();
  const members = new Set<string>();
  let isAway = false;
  const evalsha = async (
    _: string,
    __: number,
    key: string,
    member: string,
    leaseMs: number,
    ___: string,
    state: string,
    ...wanted: number[]
  ) => {
    if (isAway) throw new Error('connection refused');
    keys.add(key);
    members.add(member);
    const ending = state === 'ending';
    return ['epoch', ending ? [] : [member, leaseMs], wanted.flatMap((shard) => [shard, 1, leaseMs, member])];
  };
  const settings = { ...readSettings({}), shards: SHARDS, shardLease: LEASE_MS };
  const clients = NAMES.map((cluster) => ({ cluster }) as KubeClient);
  const redis = { evalsha } as unknown as Redis;
  const leases = (role: string) => new RedisLeases(redis, { prefix: 'prefix', role, shards: SHARDS });
  const shards = ownShards({ store: { leases }, settings, clock, log: silentLog }, service, fixedClusters(clients));
  return { ...shards, clock, keys, members, setAway: (away: boolean) => (isAway = away) };
}
const occupied = new Set(NAMES.map((name) => shardOf(name, SHARDS))).size;

describe('the shards of a process', () => {
  it('are none, and it is down, until Redis has given out leases', async () => {
    const { check, clusters } = hub();
    expect(check.name).toBe('shards');
    expect(await check.check()).toEqual({ up: false, detail: 'Redis has not granted a lease yet' });
    expect(clusters.known()).toEqual([]);
    expect(NAMES.filter((name) => clusters.knows(name))).toEqual([]);
  });

  it('are all where it is alone, with all clusters', async () => {
    const { check, clusters, ownership, clock } = hub();
    ownership.start();
    await clock.advance(LEASE_MS);
    expect(await check.check()).toEqual({ up: true, detail: `${SHARDS} of ${SHARDS} shards with 3 of 3 clusters` });
    expect(clusters.known()).toEqual(NAMES);
    expect([...NAMES, 'other'].filter((name) => clusters.knows(name))).toEqual(NAMES);
    expect(occupied).toBeGreaterThan(1);
  });

  it('degrade it, and no more, while Redis does not renew the leases', async () => {
    const { check, ownership, clock, setAway } = hub();
    ownership.start();
    await clock.advance(LEASE_MS);
    setAway(true);
    await clock.advance(LEASE_MS);
    expect(await check.check()).toEqual({
      up: true,
      degraded: true,
      detail: `work is suspended: Redis has not renewed the leases of ${SHARDS} of ${SHARDS} shards with 3 of 3 clusters`,
    });
    expect(NAMES.some((name) => ownership.acts(name))).toBe(false);
    setAway(false);
    await clock.advance(LEASE_MS);
    expect(await check.check()).not.toHaveProperty('degraded');
  });

  it.each(['poller', 'applier'] as const)('are shared among processes of one service: %s', async (service) => {
    const one = hub(service);
    const two = hub(service);
    for (const { ownership, clock } of [one, two]) {
      ownership.start();
      await clock.advance(LEASE_MS);
    }
    expect([...one.keys]).toEqual([`prefix:shards:${service}:${SHARDS}`]);
    expect(new Set([...one.members, ...two.members]).size).toBe(2);
  });
});
