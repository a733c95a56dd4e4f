import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { fixedClusters } from '../membership/service-clusters.port.js';
import { ClusterHasLeft, ClusterWrites } from './cluster-writes.js';
import { guardClusters } from './guarded-clusters.js';

const SOURCE = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', metadata: { name: 'shelf' } };

it('a cluster that has left and comes back is written to again', async () => {
  const raw = { cluster: 'east', create: async () => 'created' } as unknown as KubeClient;
  let writes = new ClusterWrites('east', () => undefined);
  const clusters = guardClusters(fixedClusters([raw]), () => writes);
  const before = clusters.client('east');
  expect(clusters.client('east'), 'one client for all').toBe(before);
  writes.end();
  await expect(before?.create(SOURCE)).rejects.toBeInstanceOf(ClusterHasLeft);
  writes = new ClusterWrites('east', () => undefined);
  expect(await clusters.client('east')?.create(SOURCE)).toBe('created');
  await expect(before?.create(SOURCE)).rejects.toBeInstanceOf(ClusterHasLeft);
});
