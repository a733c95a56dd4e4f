import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { clusterBehindProxy } from '../contract/contract-cluster.js';
import { kubeClientContract } from '../contract/kube-client.contract.js';

kubeClientContract('a real API server', async () => {
  const controlPlane = await startControlPlane();
  const cluster = await clusterBehindProxy(controlPlane.clusters[0]?.kubeconfig ?? '');
  return {
    ...cluster,
    stop: async () => {
      await cluster.stop();
      await controlPlane.stop();
    },
  };
});

describe('an API server that often says goodbye to its connections and allows few streams on each', () => {
  let controlPlane: ControlPlane | undefined;
  let client: KubeClient;

  beforeAll(async () => {
    const apiServerArguments = ['--goaway-chance=0.02', '--http2-max-streams-per-connection=20'];
    controlPlane = await startControlPlane({ apiServerArguments });
    const kubeconfigs = controlPlane.clusters.map(({ kubeconfigPath }) => kubeconfigPath);
    const [loaded] = await loadClusters({ kubeconfigs, fieldManager: 'e2e' });
    if (loaded === undefined) throw new Error('the control plane has no cluster');
    client = loaded;
  });
  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  it('answers a thousand reads and writes, sixty at a time, all the same', async () => {
    const work = async (worker: number) => {
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: `worker-${worker}` };
      await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: ref.name, namespace: 'default' } });
      for (let n = 1; n <= 8; n += 1) {
        await client.patch(ref, { data: { n: String(n) } });
        expect((await client.get(ref))?.['data']).toEqual({ n: String(n) });
      }
    };
    await Promise.all(Array.from({ length: 60 }, (_, worker) => work(worker)));
  });

  it('sees each group of an impersonated user as one of its own', async () => {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
    const { object } = await client.actingAs({ user: 'bob', groups: ['sailors', 'captains'] }).create(review);
    const groups = expect.arrayContaining(['sailors', 'captains', 'system:authenticated']);
    expect(object).toMatchObject({ status: { userInfo: { username: 'bob', groups } } });
  });

  it('says what an impersonated user may not do, in its own words', async () => {
    const bob = client.actingAs({ user: 'bob' });
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'x' };
    await expect(bob.get(ref)).rejects.toMatchObject({
      status: 403,
      reason: 'Forbidden',
      said: 'secrets "x" is forbidden: User "bob" cannot get resource "secrets" in API group "" in the namespace "default"',
    });
  });
});
