import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { ManualClock } from '../clock/manual-clock.js';
import type { ServiceClusters } from '../membership/service-clusters.port.js';
import { silentLog } from '../telemetry/log.port.js';
import { Metrics } from '../telemetry/metrics/metrics.js';
import { ClusterOwners } from './cluster-owners.js';

let direct: DirectCluster;
beforeEach(() => {
  direct = directCluster('east');
});
afterEach(() => direct.stop());

it('a hub whose twin asks does not leave the cluster and join it anew; one that loses it does', async () => {
  const clock = new ManualClock(new Date());
  const left: string[] = [];
  const warned: unknown[] = [];
  const owners = new ClusterOwners({
    hub: {
      ...{ clock, metrics: new Metrics(), identity: { id: 'one', older: [] }, instance: async () => 'a' },
      log: { ...silentLog, warn: (fields) => void warned.push(fields) },
    },
    clusters: { client: () => direct.client } as Partial<ServiceClusters> as ServiceClusters,
    mayTake: () => true,
    onNews: (cluster) => void left.push(cluster),
  });
  const marked = async (marks: Readonly<Record<string, string>>) => {
    direct.cluster.edit({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' }, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, ...marks };
    });
    await owners.of('east')?.ask();
  };
  await owners.of('east')?.ask();
  for (const twin of ['b', 'c']) await marked({ 'flotilla.dev/hub-asks': `${twin} ${clock.now().toISOString()}` });
  expect([left, warned.length]).toEqual([[], 2]);
  expect((await owners.check.check()).detail).toContain('another hub with the same identity (instance c)');
  await marked({ 'flotilla.dev/hub-asks': 'd 9999-01-01T00:00:00Z' });
  expect((await owners.check.check()).detail, 'no hub has such a clock').toBe('no cluster belongs to another hub');
  await marked({ 'flotilla.dev/hub-instance': 'c' });
  expect(left).toEqual(['east']);
});
