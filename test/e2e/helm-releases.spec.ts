import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { readRegistryBundle } from '#core/v1/bundle-render/bundle/read-registry-bundle';
import { renderBundle } from '#core/v1/bundle-render/render-bundle';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { helmReleaseSecrets } from '#testing/cluster/helm-release';
import { serveCrds } from '#testing/cluster/served-crds';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { catalogImage } from '../story/bad-input-fixture.js';
import { bundleFiles, bundleImage, ExtensionFixture, packageBlobs } from '../story/extension-fixture.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const NAMESPACE = 'lights';
const OLM_NAMESPACE = 'olmv1-system';
const LABELS = {
  'olm.operatorframework.io/owner-kind': 'ClusterExtension',
  'olm.operatorframework.io/owner-name': 'lamp',
};
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'lamp-operator', namespace: NAMESPACE };

/** Renders the bundle as OLM v1 does, with the labels of the extension. */
function rendered(version: string): KubernetesObject[] {
  const bundle = readRegistryBundle(bundleFiles({ name: 'lamp', version }));
  if ('error' in bundle) throw new Error(bundle.error);
  const gates = { SingleOwnNamespaceInstallSupport: false, DeploymentConfig: false };
  const made = renderBundle(bundle, {
    namespace: NAMESPACE,
    config: undefined,
    certificateProvider: 'cert-manager',
    gates,
  });
  if ('error' in made) throw new Error(made.error);
  return made.objects.map(({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, labels: { ...metadata.labels, ...LABELS } },
  }));
}

describe('a cluster with ClusterExtensions of OLM v1’s Helm runtime, on a real API server', () => {
  let east: ExtensionFixture;
  let registry: InMemoryRegistry;
  const endings: (() => Promise<unknown>)[] = [];
  let kubeconfigs: string[];

  const imageOf = async (version: string) =>
    `${registry.host}/bundles/lamp@${registry.put(`bundles/lamp:v${version}`, await bundleImage({ name: 'lamp', version }))}`;
  const putCatalog = async (...versions: string[]) => {
    const images = await Promise.all(versions.map(async (version) => ({ version, image: await imageOf(version) })));
    const text = packageBlobs('lamp', images).map((blob) => JSON.stringify(blob));
    registry.put('shelf/lamps:latest', await catalogImage({ 'catalog.json': text.join('\n') }));
  };

  beforeAll(async () => {
    registry = await startRegistry();
    const plane = await startControlPlane({ clusters: 1 });
    endings.push(
      () => plane.stop(),
      () => registry.stop(),
    );
    kubeconfigs = plane.clusters.map(({ kubeconfigPath }) => kubeconfigPath);
    const [client] = await loadClusters({ kubeconfigs, fieldManager: 'e2e' });
    if (client === undefined) throw new Error('a control plane without clusters');
    endings.push(() => client.close());
    await serveCrds(client);
    east = new ExtensionFixture(client);
    await east.namespace(NAMESPACE);
    await east.namespace(OLM_NAMESPACE);
    const image = await imageOf('1.0.0');
    await east.extension('lamp', NAMESPACE, { packageName: 'lamp' });
    const extension = await client.get({ ...CLUSTER_EXTENSION_API, name: 'lamp' });
    if (extension === undefined) throw new Error('the extension was not stored');
    const bundle = { packageName: 'lamp', name: 'lamp.v1.0.0', version: '1.0.0', image };
    await client.updateStatus({
      ...extension,
      status: { install: { bundle: { name: bundle.name, version: '1.0.0' } } },
    });
    const { uid = '' } = extension.metadata;
    const ownerReferences = [
      { ...CLUSTER_EXTENSION_API, name: 'lamp', uid, controller: true, blockOwnerDeletion: true },
    ];
    const objects = rendered('1.0.0');
    for (const object of objects) await client.create({ ...object, metadata: { ...object.metadata, ownerReferences } });
    for (const secret of helmReleaseSecrets({ extension, bundle, objects, chunkBytes: 1_000 }))
      await client.create(secret);
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  const running = () => east.client.get(DEPLOYMENT);
  const pods = async () =>
    (await east.client.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: NAMESPACE }))?.items.map(
      ({ metadata }) => metadata.uid,
    );

  const facts = async () => {
    const deployment = await running();
    // Annotations of a Deployment count for its generation, too: the spec holds the running Pods.
    return { uid: deployment?.metadata.uid, spec: deployment?.['spec'], pods: await pods() };
  };
  const controllers = async () =>
    (await running())?.metadata.ownerReferences?.flatMap(({ kind, name, controller }) =>
      controller ? [`${kind} ${name}`] : [],
    );
  const secrets = async () =>
    (await east.client.list({ apiVersion: 'v1', kind: 'Secret' }, { namespace: OLM_NAMESPACE }))?.items.map(
      ({ metadata }) => [metadata.name, metadata.resourceVersion],
    );
  const start = async () => {
    const environment = await startQuickEnvironment({ registry, kubeconfigs });
    endings.push(() => environment.stop());
    return environment;
  };
  const takenOver = async () => {
    await expect.poll(() => east.installState('lamp'), PATIENCE).toBe('1.0.0 True Succeeded');
    await expect.poll(controllers, PATIENCE).toEqual(['ClusterObjectSet lamp-1']);
    const [revision, ...more] = await east.revisions('lamp');
    expect(revision?.metadata.labels).toMatchObject({ 'olm.operatorframework.io/migrated-from-helm': 'true' });
    expect(more, 'the same bundle makes no other revision').toEqual([]);
  };

  it('goes on with them as revisions, without a new pod; and back, as the page says, and once more', async () => {
    await expect.poll(running, PATIENCE).toMatchObject({ status: { availableReplicas: 1 } });
    const before = await facts();
    const stored = await secrets();
    await putCatalog('1.0.0');
    const environment = await start();
    await east.catalog('lamps', `${registry.host}/shelf/lamps:latest`);
    await takenOver();
    expect(await facts()).toEqual(before);

    await environment.stop();
    const sets = await east.revisions('lamp');
    for (const set of sets) await east.client.delete(refOf(set), { propagation: 'Orphan' });
    await expect.poll(() => east.revisions('lamp'), PATIENCE).toEqual([]);
    expect(await controllers()).toBeUndefined();
    expect(await facts()).toEqual(before);
    expect(await secrets(), 'the releases are as they were').toEqual(stored);

    await start();
    await takenOver();
    expect(await facts()).toEqual(before);
  });
});
