import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTER_CATALOG_API, type ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import { readTree } from '#platform/files/read-tree';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';

const VECTORS = 'test/vectors/v1-http';
const LABELS = { [CATALOG_LABEL]: '/configs' };
const SHOP = readFileSync(join(VECTORS, 'shop.expected.jsonl'), 'utf8');

/**
 * Tests of the ClusterCatalogs of a poller for two clusters with OLM's kinds. Other tests share the services:
 * their start takes seconds.
 */
export const describeClusterCatalogs = (clients: () => readonly KubeClient[]) =>
  describe('ClusterCatalogs served by the poller', () => {
    let registry: InMemoryRegistry;
    let east: KubeClient;
    let west: KubeClient;

    beforeAll(async () => {
      registry = await startRegistry();
      const files = await readTree(join(VECTORS, 'catalogs/shop'));
      const placed = files.map(({ path, bytes }) => ({ path: `configs/${path}`, bytes }));
      registry.put('shelf/shop:v1', await buildImage({ files: placed, labels: LABELS }));
      const [first, second] = clients();
      if (first === undefined || second === undefined) throw new Error('the environment has fewer than two clusters');
      [east, west] = [first, second];
      for (const client of [east, west]) await create(client, 'shop', `${registry.host}/shelf/shop:v1`);
    });
    afterAll(() => registry?.stop());

    const create = (client: KubeClient, name: string, ref: string) =>
      client.create({
        ...CLUSTER_CATALOG_API,
        metadata: { name },
        spec: { source: { type: 'Image', image: { ref } } },
      });
    const statusOf = async (client: KubeClient, name: string) =>
      (await client.get<ClusterCatalog>({ ...CLUSTER_CATALOG_API, name }))?.status;
    const conditionsOf = async (client: KubeClient, name: string) =>
      (await statusOf(client, name))?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
    const SERVED = ['Progressing=True Succeeded', 'Serving=True Available'];
    const ask = async (url: string | undefined, init: RequestInit = {}) => {
      const response = await fetch(url ?? '', init);
      return { status: response.status, text: await response.text() };
    };

    it('are answered for at the URL that each status names, from one pull for all clusters', async () => {
      for (const client of [east, west]) {
        await expect.poll(() => conditionsOf(client, 'shop'), PATIENCE).toEqual(SERVED);
        const base = (await statusOf(client, 'shop'))?.urls?.base;
        expect(base).toMatch(new RegExp(`/clusters/${client.cluster}/catalogs/shop$`));
        expect(await ask(`${base}/api/v1/all`)).toEqual({ status: 200, text: SHOP });
        const lamp = await ask(`${base}/api/v1/metas?schema=olm.package&name=lamp`);
        expect(lamp.text).toMatch(/^\{"defaultChannel":"stable",.*\}\n$/);
      }
      const pulls = registry.log.filter((line) => /GET .*\/shelf\/shop\/manifests/.test(line));
      expect(pulls).toHaveLength(1);
    });

    it.each([
      { path: '/shop/api/v1/all', init: { method: 'POST', body: '{' }, status: 405, text: 'Method Not Allowed\n' },
      { path: '/shop/api/v1/metas?limit=1', init: {}, status: 400, text: '400 Bad Request\n' },
      { path: '/nothere/api/v1/all', init: {}, status: 404, text: '404 Not Found\n' },
      { path: '/shop/api/v1/graphql', init: {}, status: 404, text: '404 page not found\n' },
      { path: '/..%2fshop/api/v1/all', init: {}, status: 400, text: expect.stringMatching(/^invalid catalog name: /) },
    ])('$path: $status', async ({ path, init, status, text }) => {
      await expect.poll(() => conditionsOf(east, 'shop'), PATIENCE).toEqual(SERVED);
      const base = (await statusOf(east, 'shop'))?.urls?.base?.replace(/\/shop$/, '');
      expect(await ask(`${base}${path}`, init)).toEqual({ status, text });
    });

    it('may hold blobs that make no valid catalog, and refuse what is no JSON or YAML', async () => {
      const lonely = { path: 'configs/a.yaml', bytes: Buffer.from('schema: olm.package\nname: lonely\n') };
      registry.put('shelf/lonely:v1', await buildImage({ files: [lonely], labels: LABELS }));
      const broken = { path: 'configs/a.yaml', bytes: Buffer.from('schema: [\n') };
      registry.put('shelf/broken:v1', await buildImage({ files: [broken], labels: LABELS }));
      await create(east, 'lonely', `${registry.host}/shelf/lonely:v1`);
      await create(east, 'broken', `${registry.host}/shelf/broken:v1`);
      await expect.poll(() => conditionsOf(east, 'lonely'), PATIENCE).toEqual(SERVED);
      await expect.poll(() => conditionsOf(east, 'broken'), PATIENCE).toEqual(['Progressing=True Retrying']);
      const [progressing] = (await statusOf(east, 'broken'))?.conditions ?? [];
      expect(progressing?.message).toMatch(/^error storing fbc: a\.yaml:\d+: /);
    });

    it('are no longer there once they are deleted', async () => {
      await expect.poll(() => conditionsOf(west, 'shop'), PATIENCE).toEqual(SERVED);
      const base = (await statusOf(west, 'shop'))?.urls?.base;
      await west.delete({ ...CLUSTER_CATALOG_API, name: 'shop' });
      await expect.poll(async () => (await ask(`${base}/api/v1/all`)).status, PATIENCE).toBe(404);
      // The finalizer goes once the content has gone.
      await expect.poll(() => statusOf(west, 'shop'), PATIENCE).toBeUndefined();
    });
  });
