import { join } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import type { Catalog } from '#core/catalog/model/catalog';
import { readTree } from '#platform/files/read-tree';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { freePorts } from '#testing/control-plane/free-ports';
import { PATIENCE } from '#testing/patience';
import { startRegistry } from '#testing/registry/in-memory-registry';
import type { BadInputEnvironment } from '../../story/bad-input-environment.js';
import * as fixture from '../../story/bad-input-fixture.js';
import { EXAMPLES } from '../../story/play-story.js';

const { catalogImage, packageYaml } = fixture;
const polled = { updateStrategy: { registryPoll: { interval: '1s' } } };

export function describeChangingCatalogs(environment: () => BadInputEnvironment): void {
  describe.concurrent('a catalog that changes', () => {
    let set: BadInputEnvironment;
    beforeAll(() => {
      set = environment();
    });

    const lighthouse = async (edition: string): Promise<Catalog> => {
      const files = await readTree(join(EXAMPLES, 'catalogs', edition, 'lighthouse-operator'));
      const placed = files.map(({ path, bytes }) => ({
        path,
        bytes: Buffer.from(Buffer.from(bytes).toString().replaceAll('registry.example/', `${set.registry.host}/`)),
      }));
      return loadCatalog(placed);
    };

    it('for the worse stays READY with what it holds, says so, and recovers by itself', async ({ expect }) => {
      const { registry, east, goodBundle } = set;
      const good = await catalogImage({ 'a.yaml': packageYaml('lighthouse-operator', goodBundle) });
      registry.put('shelf/changing:1', good);
      await fixture.createNamespace(east, 'changing');
      await fixture.createCatalog(east, 'changing', { image: `${registry.host}/shelf/changing:1`, ...polled });
      await expect.poll(() => fixture.catalogStatus(east, 'changing'), PATIENCE).toBe('READY');
      registry.put('shelf/changing:1', await catalogImage({ 'a.yaml': 'schema: [\n' }));
      await expect
        .poll(() => fixture.catalogStatus(east, 'changing'), PATIENCE)
        .toMatch(
          /^READY \| RegistryServerError \| catalog \S+\/shelf\/changing:1 is invalid: a\.yaml:1: .*; failing since \S+, next check \S+\. The last good content \(sha256:[0-9a-f]+, held since \S+\) stays in use\.$/,
        );
      await fixture.subscribe(east, 'changing', 'lighthouse-operator');
      await expect
        .poll(() => fixture.operators(east, 'changing'), PATIENCE)
        .toEqual(['lighthouse-operator.v1.0.0 Succeeded']);
      registry.put('shelf/changing:1', good);
      await expect.poll(() => fixture.catalogStatus(east, 'changing'), PATIENCE).toBe('READY');
    });

    it('from blobs of unknown schemas is read without them', async ({ expect }) => {
      const { registry, east, goodBundle } = set;
      const menu = '---\nschema: com.example.menu\npackage: lighthouse-operator\nstarters: [soup]\n';
      const yaml = packageYaml('lighthouse-operator', goodBundle, menu);
      registry.put('shelf/menu:1', await catalogImage({ 'a.yaml': yaml, 'notes.json': '{"schema": "notes"}' }));
      await fixture.createNamespace(east, 'menu');
      await fixture.createCatalog(east, 'menu', { image: `${registry.host}/shelf/menu:1` });
      await fixture.subscribe(east, 'menu', 'lighthouse-operator');
      await expect
        .poll(() => fixture.operators(east, 'menu'), PATIENCE)
        .toEqual(['lighthouse-operator.v1.0.0 Succeeded']);
      expect(await fixture.catalogStatus(east, 'menu')).toBe('READY');
    });

    it('a wrong password is reported, never shown, and works once it is right', async ({ expect }) => {
      const { east, goodBundle } = set;
      const guarded = await startRegistry();
      try {
        guarded.put(
          'shelf/guarded:1',
          await catalogImage({ 'a.yaml': packageYaml('lighthouse-operator', goodBundle) }),
        );
        guarded.requireAuth({ username: 'keeper', password: 'right' });
        const secret = (password: string) => ({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'pull', namespace: 'guarded' },
          type: 'kubernetes.io/dockerconfigjson',
          data: {
            '.dockerconfigjson': Buffer.from(
              JSON.stringify({ auths: { [guarded.host]: { username: 'keeper', password } } }),
            ).toString('base64'),
          },
        });
        await fixture.createNamespace(east, 'guarded');
        await east.create(secret('wr0ng-pass'));
        await fixture.createCatalog(east, 'guarded', { image: `${guarded.host}/shelf/guarded:1`, secrets: ['pull'] });
        await expect
          .poll(() => fixture.catalogStatus(east, 'guarded'), PATIENCE)
          .toMatch(/^TRANSIENT_FAILURE \| .*were refused by/);
        expect(await fixture.catalogStatus(east, 'guarded')).not.toContain('wr0ng-pass');
        await east.patch(
          { apiVersion: 'v1', kind: 'Secret', name: 'pull', namespace: 'guarded' },
          { data: secret('right').data },
        );
        await expect.poll(() => fixture.catalogStatus(east, 'guarded'), PATIENCE).toBe('READY');
      } finally {
        await guarded.stop();
      }
    });

    it('at a gRPC address is followed when another server takes its place', async ({ expect }) => {
      const { east } = set;
      const [port = 0] = await freePorts(1);
      let server: CatalogServer = await serveCatalog(await lighthouse('v1'), { port });
      try {
        await fixture.createNamespace(east, 'served');
        await fixture.createCatalog(east, 'served', { address: `127.0.0.1:${server.port}` });
        await fixture.subscribe(east, 'served', 'lighthouse-operator');
        await expect
          .poll(() => fixture.operators(east, 'served'), PATIENCE)
          .toEqual(['lighthouse-operator.v1.0.0 Succeeded']);
        await server.stop();
        server = await serveCatalog(await lighthouse('v2'), { port });
        await expect
          .poll(() => fixture.operators(east, 'served'), PATIENCE)
          .toEqual(['lighthouse-operator.v1.2.0 Succeeded']);
        expect(await fixture.catalogStatus(east, 'served')).toBe('READY');
      } finally {
        await server.stop();
      }
    });
  });
}
