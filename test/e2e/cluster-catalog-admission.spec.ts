import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { PATIENCE } from '#testing/patience';

const API = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' } as const;
const HEX = 'a'.repeat(64);

describe('what a real API server admits as a ClusterCatalog', () => {
  let controlPlane: ControlPlane | undefined;
  let client: KubeClient;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const [{ kubeconfigPath } = { kubeconfigPath: '' }] = controlPlane.clusters;
    const [loaded] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'e2e' });
    if (loaded === undefined) throw new Error('the control plane has no cluster');
    client = loaded;
    await client.create(
      KubernetesObject.parse(load(await readFile('k8s/crds/olm.operatorframework.io_clustercatalogs.yaml', 'utf8'))),
    );
    const served = async () => expect(await client.serves(API)).toBe(true);
    await vi.waitFor(served, PATIENCE);
  });
  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  const admit = async (spec: unknown) => {
    const object = { ...API, metadata: { generateName: 'catalog-' }, spec };
    return client.create(KubernetesObject.parse(object), { dryRun: true });
  };
  const image = (ref: string, more: Readonly<Record<string, unknown>> = {}) => ({
    source: { type: 'Image', image: { ref, ...more } },
  });

  it.each([
    ['a tag', 'registry.example/catalog:latest'],
    ['a port and a tag', 'localhost:5000/a/b__c/catalog:v1.2-x'],
    ['a digest', `registry.example/catalog@sha256:${HEX}`],
    ['a tag and a digest', `registry.example/catalog:v1@sha256:${HEX}`],
    ['another algorithm', `registry.example/catalog@multihash+base58:${HEX}`],
    ['the longest tag', `registry.example/catalog:${'t'.repeat(127)}`],
  ])('takes %s', async (_, ref) => {
    const { object } = await admit(image(ref));
    expect(object).toMatchObject({ spec: { priority: 0, availabilityMode: 'Available' } });
  });

  it.each([
    ['-bad.example/catalog:v1', 'must start with a valid domain.'],
    ['registry.example:v1', 'a valid name is required.'],
    ['registry.example/catalog', 'must end with a digest or a tag'],
    [`registry.example/catalog:${'t'.repeat(128)}`, 'the tag must not be more than 127 characters'],
    ['registry.example/catalog:-v1', 'tag is invalid. valid tags must begin with a word character'],
    ['localhost:5000/catalog', 'tag is invalid. valid tags must begin with a word character'],
    [`registry.example/catalog@9sha:${HEX}`, 'digest algorithm is not valid.'],
    ['registry.example/catalog@sha256:abc', 'the encoded string must be at least 32 characters'],
    [`registry.example/catalog@sha256:${'z'.repeat(64)}`, 'the encoded string must only contain hex characters'],
  ])('refuses %s', async (ref, because) => {
    await expect(admit(image(ref))).rejects.toThrow(because);
  });

  it.each([
    [
      image(`registry.example/catalog@sha256:${HEX}`, { pollIntervalMinutes: 5 }),
      'cannot specify pollIntervalMinutes while using digest-based image',
    ],
    [image('registry.example/catalog:v1', { pollIntervalMinutes: 0 }), 'greater than or equal to 1'],
    [{ source: { type: 'Image' } }, 'image is required when source type is Image, and forbidden otherwise'],
    [{ source: { type: 'Git' } }, 'Unsupported value: "Git"'],
    [{ ...image('registry.example/catalog:v1'), priority: 2 ** 31 }, 'less than or equal to 2147483647'],
    [{ ...image('registry.example/catalog:v1'), availabilityMode: 'Away' }, 'Unsupported value: "Away"'],
  ])('refuses %j', async (spec, because) => {
    await expect(admit(spec)).rejects.toThrow(because);
  });
});
