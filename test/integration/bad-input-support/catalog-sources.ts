import { beforeAll, describe, it } from 'vitest';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '#testing/patience';
import type { BadInputEnvironment } from '../../story/bad-input-environment.js';
import * as fixture from '../../story/bad-input-fixture.js';
import { configMapCatalog } from '../../story/config-map-catalog.js';

const { catalogImage, packageYaml } = fixture;
const V1ALPHA1 = 'operators.coreos.com/v1alpha1';

const get = async (client: KubeClient, namespace: string): Promise<CatalogSource> => {
  const found = await client.get<CatalogSource>({
    apiVersion: V1ALPHA1,
    kind: 'CatalogSource',
    name: 'shelf',
    namespace,
  });
  if (found === undefined) throw new Error(`no CatalogSource ${namespace}/shelf`);
  return found;
};

const conditions = async (client: KubeClient, namespace: string): Promise<string[]> =>
  ((await get(client, namespace)).status?.conditions ?? []).map((condition) => {
    const { type, status, reason, message } = Object(condition);
    return `${type}=${status} ${reason}: ${message}`;
  });

export function describeCatalogSources(environment: () => BadInputEnvironment): void {
  describe.concurrent('a CatalogSource', () => {
    let set: BadInputEnvironment;
    beforeAll(() => {
      set = environment();
    });

    it.for(['configmap', 'internal'])(
      'of type %s is installed from, and its changes are followed',
      async (sourceType, { expect }) => {
        const { east } = set;
        const namespace = `from-${sourceType}`;
        await fixture.createNamespace(east, namespace);
        await fixture.createCatalog(east, namespace, { sourceType, configMap: 'shelf' });
        await expect
          .poll(() => fixture.catalogStatus(east, namespace), PATIENCE)
          .toMatch(
            /^TRANSIENT_FAILURE \| ConfigMapError \| failed to get catalog config map shelf: configmaps "shelf" not found$/,
          );
        await fixture.subscribe(east, namespace, 'lighthouse-operator');
        const { object } = await east.create<KubernetesObject>(
          await configMapCatalog(namespace, 'lighthouse-operator', ['v1.0.0']),
        );
        await expect
          .poll(() => fixture.operators(east, namespace), PATIENCE)
          .toEqual(['lighthouse-operator.v1.0.0 Succeeded']);
        const { uid, resourceVersion } = object.metadata;
        expect((await get(east, namespace)).status).toMatchObject({
          configMapReference: { name: 'shelf', namespace, uid, resourceVersion },
          connectionState: { lastObservedState: 'READY' },
        });
        const grown = await configMapCatalog(namespace, 'lighthouse-operator', ['v1.0.0', 'v1.1.0']);
        await east.patch({ ...grown, name: 'shelf', namespace }, { data: grown.data });
        await expect
          .poll(() => fixture.operators(east, namespace), PATIENCE)
          .toEqual(['lighthouse-operator.v1.1.0 Succeeded']);
        await east.patch({ ...grown, name: 'shelf', namespace }, { data: { packages: null } });
        await expect
          .poll(() => fixture.catalogStatus(east, namespace), PATIENCE)
          .toMatch(
            /^READY \| RegistryServerError \| couldn't find expected key packages in configmap; failing since .* stays in use\.$/,
          );
      },
    );

    it('with an image template gets the image of the cluster’s version, and says so', async ({ expect }) => {
      const { east, registry, goodBundle } = set;
      const version = (await east.serverVersion()).replace(/^v/, '').split(/[-+]/)[0] ?? '';
      const [major, minor] = version.split('.');
      registry.put(
        `shelf/templated:v${major}.${minor}`,
        await catalogImage({ 'a.yaml': packageYaml('lighthouse-operator', goodBundle) }),
      );
      const template = `${registry.host}/shelf/templated:v{kube_major_version}.{kube_minor_version}`;
      const image = `${registry.host}/shelf/templated:v${major}.${minor}`;
      await fixture.createNamespace(east, 'templated');
      await east.create({
        apiVersion: V1ALPHA1,
        kind: 'CatalogSource',
        metadata: { name: 'shelf', namespace: 'templated', annotations: { 'olm.catalogImageTemplate': template } },
        spec: { sourceType: 'grpc' },
      });
      await expect.poll(() => fixture.catalogStatus(east, 'templated'), PATIENCE).toBe('READY');
      expect((await get(east, 'templated')).spec.image).toBe(image);
      expect(await conditions(east, 'templated')).toEqual([
        'TemplatesHaveResolved=True AllTemplatesResolved: catalog image reference was successfully resolved',
        `ResolvedImage=True AllTemplatesResolved: ${image}`,
      ]);
      const ref = { apiVersion: V1ALPHA1, kind: 'CatalogSource', name: 'shelf', namespace: 'templated' };
      await east.patch(ref, { metadata: { annotations: { 'olm.catalogImageTemplate': `${template}{typo}` } } });
      await expect
        .poll(() => conditions(east, 'templated'), PATIENCE)
        .toEqual([
          'TemplatesHaveResolved=False UnableToResolve: cannot construct catalog image reference, because one or more template(s) has improper syntax',
          `ResolvedImage=False UnableToResolve: ${image}{typo}`,
        ]);
      expect((await get(east, 'templated')).spec.image, 'the image stays').toBe(image);
      await east.patch(ref, { metadata: { annotations: { 'olm.catalogImageTemplate': null } } });
      await expect.poll(() => conditions(east, 'templated'), PATIENCE).toEqual([]);
    });

    it('says which of its fields have no effect, as long as they are there', async ({ expect }) => {
      const { east, registry, goodBundle } = set;
      registry.put('shelf/pod:1', await catalogImage({ 'a.yaml': packageYaml('lighthouse-operator', goodBundle) }));
      await fixture.createNamespace(east, 'pod-config');
      await fixture.createCatalog(east, 'pod-config', {
        image: `${registry.host}/shelf/pod:1`,
        updateStrategy: {},
        grpcPodConfig: { memoryTarget: '100Mi', securityContextConfig: 'restricted' },
      });
      await expect
        .poll(() => conditions(east, 'pod-config'), PATIENCE)
        .toEqual([
          'FieldsIgnored=True NoEffect: no registry pod runs in the cluster, so these have no effect: spec.grpcPodConfig.memoryTarget, spec.grpcPodConfig.securityContextConfig',
        ]);
      await expect.poll(() => fixture.catalogStatus(east, 'pod-config'), PATIENCE).toBe('READY');
      const ref = { apiVersion: V1ALPHA1, kind: 'CatalogSource', name: 'shelf', namespace: 'pod-config' };
      await east.patch(ref, { spec: { grpcPodConfig: null } });
      await expect.poll(() => conditions(east, 'pod-config'), PATIENCE).toEqual([]);
    });

    it.for([
      { interval: '', because: 'time: invalid duration ""' },
      { interval: 'soon', because: 'time: invalid duration "soon"' },
    ])(
      'with the poll interval "$interval" is polled every 15 minutes and says why',
      async ({ interval, because }, { expect }) => {
        const { east, registry, goodBundle } = set;
        const namespace = interval === '' ? 'interval-empty' : `interval-${interval}`;
        registry.put(
          `shelf/${namespace}:1`,
          await catalogImage({ 'a.yaml': packageYaml('lighthouse-operator', goodBundle) }),
        );
        await fixture.createNamespace(east, namespace);
        await fixture.createCatalog(east, namespace, {
          image: `${registry.host}/shelf/${namespace}:1`,
          updateStrategy: { registryPoll: { interval } },
        });
        await expect
          .poll(() => fixture.catalogStatus(east, namespace), PATIENCE)
          .toBe(
            `READY | InvalidIntervalError | error parsing spec.updateStrategy.registryPoll.interval. Using the default value of 15m0s instead. Error: ${because}`,
          );
        expect((await get(east, namespace)).status?.latestImageRegistryPoll).toMatch(
          /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
        );
      },
    );

    it('gets its image as soon as the pull secret is there', async ({ expect }) => {
      const { west, registry, goodBundle } = set;
      registry.put('shelf/secret:1', await catalogImage({ 'a.yaml': packageYaml('lighthouse-operator', goodBundle) }));
      await fixture.createNamespace(west, 'secret-later');
      await fixture.createCatalog(west, 'secret-later', {
        image: `${registry.host}/shelf/secret:1`,
        secrets: ['pull'],
      });
      await expect
        .poll(() => fixture.catalogStatus(west, 'secret-later'), PATIENCE)
        .toMatch(/^TRANSIENT_FAILURE \| .*pull secret secret-later\/pull, .* does not exist: create it/);
      await west.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'pull', namespace: 'secret-later' },
        type: 'kubernetes.io/dockerconfigjson',
        data: { '.dockerconfigjson': Buffer.from('{"auths":{}}').toString('base64') },
      });
      await expect.poll(() => fixture.catalogStatus(west, 'secret-later'), PATIENCE).toBe('READY');
    });
  });
}
