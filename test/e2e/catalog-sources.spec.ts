import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { PATIENCE } from '#testing/patience';
import { type RecordedEnvironment, startRecordedEnvironment } from '../recorded/recorded-environment.js';
import { readRecording } from '../recorded/recording.js';
import {
  catalogStatus,
  createCatalog,
  createNamespace,
  deleteCatalog,
  operators,
  subscribe,
} from '../story/bad-input-fixture.js';
import { configMapCatalog } from '../story/config-map-catalog.js';

const KIND = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };

describe('CatalogSources on a real API server', () => {
  let environment: RecordedEnvironment;
  let cluster: KubeClient;

  beforeAll(async () => {
    environment = await startRecordedEnvironment({ backend: 'real', clusters: 1 });
    const [first] = environment.clusters;
    if (first === undefined) throw new Error('an environment without clusters');
    cluster = first.client;
  });
  afterAll(() => environment?.stop());

  const sourceIn = (namespace: string) => cluster.get<CatalogSource>({ ...KIND, name: 'shelf', namespace });

  it('in a ConfigMap are noticed when it comes, installed from, and say what was read and what was ignored', async () => {
    await createNamespace(cluster, 'mapped');
    const spec = { sourceType: 'configmap', configMap: 'shelf', grpcPodConfig: { memoryTarget: '1Gi' } };
    await createCatalog(cluster, 'mapped', spec);
    await expect
      .poll(() => catalogStatus(cluster, 'mapped'), PATIENCE)
      .toBe(
        'TRANSIENT_FAILURE | ConfigMapError | failed to get catalog config map shelf: configmaps "shelf" not found',
      );
    await subscribe(cluster, 'mapped', 'lighthouse-operator');
    const { object } = await cluster.create<KubernetesObject>(
      await configMapCatalog('mapped', 'lighthouse-operator', ['v1.0.0']),
    );
    await expect.poll(() => operators(cluster, 'mapped'), PATIENCE).toEqual(['lighthouse-operator.v1.0.0 Succeeded']);
    const { uid, resourceVersion } = object.metadata;
    await expect
      .poll(async () => (await sourceIn('mapped'))?.status, PATIENCE)
      .toMatchObject({
        configMapReference: { name: 'shelf', namespace: 'mapped', uid, resourceVersion },
        conditions: [{ type: 'FieldsIgnored', status: 'True', reason: 'NoEffect' }],
        connectionState: { lastObservedState: 'READY' },
      });
  });

  it('in a ConfigMap that lists a package twice are read with the last one', async () => {
    await createNamespace(cluster, 'twice');
    const map = await configMapCatalog('twice', 'lighthouse-operator', ['v1.0.0']);
    const first =
      '- packageName: lighthouse-operator\n  channels: [{name: old, currentCSV: lighthouse-operator.v1.0.0}]\n';
    await cluster.create({ ...map, data: { ...map.data, packages: first + (map.data['packages'] ?? '') } });
    await createCatalog(cluster, 'twice', { sourceType: 'configmap', configMap: 'shelf' });
    await subscribe(cluster, 'twice', 'lighthouse-operator');
    await expect.poll(() => operators(cluster, 'twice'), PATIENCE).toEqual(['lighthouse-operator.v1.0.0 Succeeded']);
  });

  it('that are made anew under their name are read anew', async () => {
    const upgraded = (version: string) =>
      expect.poll(() => operators(cluster, 'renewed'), PATIENCE).toEqual([`lighthouse-operator.${version} Succeeded`]);
    const make = async (versions: readonly [string, ...string[]]) => {
      await cluster.create(await configMapCatalog('renewed', 'lighthouse-operator', versions));
      await createCatalog(cluster, 'renewed', { sourceType: 'configmap', configMap: 'shelf' });
    };
    await createNamespace(cluster, 'renewed');
    await make(['v1.0.0']);
    await subscribe(cluster, 'renewed', 'lighthouse-operator');
    await upgraded('v1.0.0');
    await deleteCatalog(cluster, 'renewed');
    await cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', name: 'shelf', namespace: 'renewed' });
    await make(['v1.0.0', 'v1.1.0']);
    await upgraded('v1.1.0');
  });

  it('at an address follow a change of the address', async () => {
    const recording = readRecording('upgrade-replaces');
    if (recording === undefined) throw new Error('the recording of an upgrade is part of this repository');
    const servers = await Promise.all(
      ['fbc-1', 'fbc-2'].map((fbc) => serveCatalog(recording.catalog(fbc), { port: 0 })),
    );
    const [before = '', after = ''] = servers.map(({ port }) => `127.0.0.1:${port}`);
    const reached = (version: string) =>
      expect.poll(() => operators(cluster, 'moved'), PATIENCE).toEqual([`tugboat-operator.${version} Succeeded`]);
    try {
      await createNamespace(cluster, 'moved');
      await createCatalog(cluster, 'moved', { address: before });
      await subscribe(cluster, 'moved', 'tugboat-operator');
      await reached('v1.0.0');
      await cluster.patch({ ...KIND, name: 'shelf', namespace: 'moved' }, { spec: { address: after } });
      await reached('v1.1.0');
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });

  it('with an interval that is no duration say so in the words of Go', async () => {
    await createNamespace(cluster, 'odd-interval');
    const updateStrategy = { registryPoll: { interval: '45mError.code' } };
    await createCatalog(cluster, 'odd-interval', { image: '127.0.0.1:47/a/b:1', updateStrategy });
    await expect
      .poll(() => catalogStatus(cluster, 'odd-interval'), PATIENCE)
      .toContain('Error: time: unknown unit "mError" in duration "45mError.code"');
  });

  it('with an image template get the image of the API server’s version', async () => {
    const [, minor] = (await cluster.serverVersion()).split('.');
    await createNamespace(cluster, 'templated');
    await cluster.create({
      ...KIND,
      metadata: {
        name: 'shelf',
        namespace: 'templated',
        annotations: { 'olm.catalogImageTemplate': '127.0.0.1:47/a/b:v{kube_major_version}.{kube_minor_version}' },
      },
      spec: { sourceType: 'grpc' },
    });
    const image = `127.0.0.1:47/a/b:v1.${minor}`;
    await expect.poll(() => catalogStatus(cluster, 'templated'), PATIENCE).toContain(`image ${image}: cannot reach`);
    await expect
      .poll(() => sourceIn('templated'), PATIENCE)
      .toMatchObject({
        spec: { image },
        status: {
          conditions: [
            { type: 'TemplatesHaveResolved', status: 'True', reason: 'AllTemplatesResolved' },
            { type: 'ResolvedImage', status: 'True', reason: 'AllTemplatesResolved', message: image },
          ],
        },
      });
  });
});
