import { expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '#testing/patience';
import { madeCrd, madeDeployment } from '../integration/applier-support/made-operator.js';

const CSV = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' } as const;
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: 'own' } as const;
const PROVIDED = 'olm.providedAPIs';

/** OperatorGroups with targets in common, from the end-to-end suite of OLM. */
export function describeClassicGroups(cluster: () => KubeClient): void {
  const api = 'Top.v1.meet.example.com';
  const crd = madeCrd({ kind: 'Top', group: 'meet.example.com' }, [{ name: 'v1', storage: true }]);
  const group = async (namespace: string, targetNamespaces: string[], more: object = {}, annotations = {}) => {
    const { name, ...kind } = GROUP;
    await cluster().create({
      ...{ ...kind, metadata: { name, namespace, annotations } },
      spec: { targetNamespaces, ...more },
    });
  };
  const provider = (name: string, namespace: string): KubernetesObject => ({
    ...{ ...CSV, metadata: { name: `${name}.v1.0.0`, namespace } },
    spec: {
      ...{ displayName: name, version: '1.0.0' },
      installModes: ['OwnNamespace', 'MultiNamespace'].map((type) => ({ type, supported: true })),
      customresourcedefinitions: { owned: [{ name: crd.metadata.name, version: 'v1', kind: 'Top' }] },
      install: { strategy: 'deployment', spec: { deployments: [madeDeployment(name, 'default')] } },
    },
  });
  /** The CSV as its user sees it, and the APIs that its group provides. */
  const stands = async (name: string, namespace: string) => {
    const [csv, own] = [
      await cluster().get({ ...CSV, name: `${name}.v1.0.0`, namespace }),
      await cluster().get({ ...GROUP, namespace }),
    ];
    const { phase, reason } = Object(csv?.['status']);
    return `${phase} ${reason}, ${own?.metadata.annotations?.[PROVIDED] || 'no API'}`;
  };
  const succeeded = `Succeeded InstallSucceeded, ${api}`;
  const conflict = 'Failed InterOperatorGroupOwnerConflict, no API';

  it('an API is provided by one of two groups that meet, then by the other, and not where a static group has it', async () => {
    const metadata = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const name of ['meet-a', 'meet-b', 'meet-c', 'meet-d', 'meet-e']) await cluster().create(metadata(name));
    await cluster().create(crd);
    await group('meet-a', ['meet-a', 'meet-c']);
    await group('meet-b', ['meet-b', 'meet-c']);
    await group('meet-d', ['meet-e'], { staticProvidedAPIs: true }, { [PROVIDED]: api });
    await cluster().create(provider('top', 'meet-a'));
    await expect.poll(() => stands('top', 'meet-a'), PATIENCE).toBe(succeeded);
    await cluster().create(provider('spin', 'meet-b'));
    await expect.poll(() => stands('spin', 'meet-b'), PATIENCE).toBe(conflict);
    expect(await stands('top', 'meet-a')).toBe(succeeded);

    await cluster().delete({ ...CSV, name: 'top.v1.0.0', namespace: 'meet-a' });
    await expect.poll(() => stands('spin', 'meet-b'), PATIENCE).toBe(succeeded);
    await expect.poll(() => stands('top', 'meet-a'), PATIENCE).toBe('undefined undefined, no API');
    const copy = () => cluster().get({ ...CSV, name: 'spin.v1.0.0', namespace: 'meet-c' });
    await expect.poll(async () => Object((await copy())?.['status']).reason, PATIENCE).toBe('Copied');

    const targetNamespaces = ['meet-b', 'meet-c', 'meet-e'];
    await cluster().patch({ ...GROUP, namespace: 'meet-b' }, { spec: { targetNamespaces } });
    await expect.poll(() => stands('spin', 'meet-b'), PATIENCE).toBe(conflict);
    expect((await cluster().get({ ...GROUP, namespace: 'meet-d' }))?.metadata.annotations?.[PROVIDED]).toBe(api);
  });
}
