import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planMigration, withoutStored } from '#core/classic/crd-upgrade/stored-versions';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ControlPlane } from '#testing/control-plane/find-control-plane';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { PATIENCE } from '#testing/patience';
import { rewriteObjects } from '../../libs/lifecycle/src/classic/install-plans/rewrite-objects.js';
import { madeCrd } from '../integration/applier-support/made-operator.js';

const GROUP = 'yard.example.com';
const REF = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `docks.${GROUP}` };

describe('a stored version that leaves a CRD, on a real API server', () => {
  let plane: ControlPlane;
  let cluster: KubeClient;
  beforeAll(async () => {
    plane = await startControlPlane({ clusters: 1, log: (line) => console.log(line) });
    const [client] = await loadClusters({
      kubeconfigs: plane.clusters.map(({ kubeconfigPath }) => kubeconfigPath),
      fieldManager: 'flotilla-applier',
    });
    if (client === undefined) throw new Error('a control plane without clusters');
    cluster = client;
  });
  afterAll(async () => {
    await cluster?.close();
    await plane?.stop();
  });

  const live = async (): Promise<KubernetesObject> => {
    const found = await cluster.get<KubernetesObject>(REF);
    if (found === undefined) throw new Error('the CRD is gone');
    return found;
  };
  const replace = async (next: KubernetesObject) => {
    const { resourceVersion } = (await live()).metadata;
    return cluster.update({ ...next, metadata: { ...next.metadata, resourceVersion: resourceVersion ?? '' } });
  };
  const stored = async () => (await live())['status'] as { storedVersions: string[] };

  it('objects are written once more, the status lets the version go, and then the API server lets the spec', async () => {
    const shape = { kind: 'Dock', group: GROUP };
    const next = madeCrd(shape, [{ name: 'v1', storage: true }]);
    await cluster.create(madeCrd(shape, [{ name: 'v1alpha1', storage: true }]));
    const dock = { apiVersion: `${GROUP}/v1alpha1`, kind: 'Dock', metadata: { namespace: 'default' }, spec: {} };
    const create = async (name: string) => cluster.create({ ...dock, metadata: { ...dock.metadata, name } });
    await expect.poll(() => create('first').then(Boolean, () => false), PATIENCE).toBe(true);
    for (let index = 0; index < 600; index += 1) await create(`dock-${index}`);
    await replace(
      madeCrd(shape, [
        { name: 'v1alpha1', served: false },
        { name: 'v1', storage: true },
      ]),
    );
    expect(await stored()).toMatchObject({ storedVersions: ['v1alpha1', 'v1'] });
    await expect(replace(next), 'the API server protects what is stored').rejects.toThrow(/storedVersions/);

    const current = await live();
    const plan = planMigration(current, next);
    if (plan === undefined || !('migration' in plan)) throw new Error('nothing to migrate');
    await expect.poll(() => cluster.serves({ apiVersion: `${GROUP}/v1`, kind: 'Dock' })).toBe(true);
    const count = await rewriteObjects(
      cluster,
      { apiVersion: `${GROUP}/${plan.migration.through}`, kind: 'Dock' },
      new AbortController().signal,
    );
    expect(count, 'more than one page').toBe(601);
    await cluster.updateStatus(withoutStored(current, plan.migration));
    await replace(next);
    expect(await stored()).toMatchObject({ storedVersions: ['v1'] });
    expect((await cluster.list({ apiVersion: `${GROUP}/v1`, kind: 'Dock' }))?.items).toHaveLength(601);
  });
});
