import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readTree } from '#platform/files/read-tree';
import { buildImage } from '#platform/registry/image-builder';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { runFlotilla } from '../../run-flotilla.fixture.js';

const VECTORS = join(import.meta.dirname, '../../../../../test/vectors/v1/render');
const BUNDLES = ['own-and-single-only', 'webhooks'];

let folder = '';
let registry: InMemoryRegistry;

/** A catalog in which each sample bundle is version 1.0.0 of a package of its name. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-plan-pull-'));
  registry = await startRegistry();
  for (const name of BUNDLES) {
    const files = await readTree(join(VECTORS, name, 'bundle'));
    registry.put(`${name}:v1`, await buildImage({ files, labels: {} }));
  }
  const blobs = [...BUNDLES, 'gone'].flatMap((name) => [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: name, name: 'stable', entries: [{ name: `${name}.v1.0.0` }] },
    {
      schema: 'olm.bundle',
      package: name,
      name: `${name}.v1.0.0`,
      image: `${registry.host}/${name}:v1`,
      properties: [{ type: 'olm.package', value: { packageName: name, version: '1.0.0' } }],
    },
  ]);
  await writeFile(join(folder, 'catalog.json'), blobs.map((blob) => JSON.stringify(blob)).join('\n'));
});
afterAll(async () => {
  await registry.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function plan(packageName: string, inline: object | undefined, ...options: string[]) {
  const config = inline === undefined ? {} : { config: { configType: 'Inline', inline } };
  const extension = {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterExtension',
    metadata: { name: 'one' },
    spec: { namespace: 'lamps', source: { sourceType: 'Catalog', catalog: { packageName } }, ...config },
  };
  const argv = ['plan', '--catalog', `shelf=${join(folder, 'catalog.json')}`, '-f', '-', ...options];
  return runFlotilla(argv, JSON.stringify(extension));
}

it('plan --pull says no, with exit code 1, for a bundle that the hub refuses', async () => {
  const { out, exit } = await plan('own-and-single-only', undefined, '--pull');
  expect(out).toContain(
    'one: nothing: error for resolved bundle "own-and-single-only.v1.0.0" with version "1.0.0": ' +
      'invalid ClusterExtension configuration: invalid configuration: required field "watchNamespace" is missing\n',
  );
  expect(exit).toBe(1);
});

it('plan --pull lists the objects and rights that the bundle would bring', async () => {
  const { out, exit } = await plan('own-and-single-only', { watchNamespace: 'lamps' }, '--pull');
  expect(exit).toBe(0);
  expect(out).toContain('one: installs own-and-single-only.v1.0.0 1.0.0 from catalog shelf\n');
  expect(out).toContain('\n    Deployment lamps/desk\n');
  expect(out).toMatch(/\n {4}ServiceAccount desk-sa in namespace lamps:\n {6}.*: .*get/);
});

it('plan --pull issues certificates for webhooks as the hub does', async () => {
  const { out, exit } = await plan('webhooks', undefined, '--pull', '-o', 'json');
  expect(exit).toBe(0);
  const [answer] = JSON.parse(out).items;
  expect(answer.objects).toContainEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    name: 'lamp-ctl-service-cert',
    namespace: 'lamps',
  });
  expect(answer.permissions.length).toBeGreaterThan(0);
});

it('plan without --pull does not read the image', async () => {
  const { out, exit } = await plan('own-and-single-only', undefined);
  expect(out).not.toContain('Deployment');
  expect(exit).toBe(0);
});

it('plan --pull ends with exit code 3 where the image cannot be pulled', async () => {
  const { err, exit } = await plan('gone', undefined, '--pull');
  expect(err).toMatch(/gone:v1/);
  expect(exit).toBe(3);
});
