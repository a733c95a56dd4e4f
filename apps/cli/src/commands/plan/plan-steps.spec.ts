import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogBundleOf } from '#core/catalog/bundle/bundle-blob';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import { readTree } from '#platform/files/read-tree';
import { buildImage } from '#platform/registry/image-builder';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { run } from '../../program.js';
import type { Io } from '../../terminal/io.js';

const BUNDLE = join(import.meta.dirname, '../../../../../examples/bundles/lighthouse-operator/v1.0.0');
const PACKAGE_LABEL = 'operators.operatorframework.io.bundle.package.v1';
const subscription = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'lights', namespace: 'team' },
  spec: { name: 'lighthouse-operator', channel: 'stable', source: 'shelf', sourceNamespace: 'olm' },
};

let folder = '';
let registry: InMemoryRegistry;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-plan-steps-'));
  registry = await startRegistry();
  const files = await readTree(BUNDLE);
  registry.put('lights:v1', await buildImage({ files, labels: { [PACKAGE_LABEL]: 'lighthouse-operator' } }));
  registry.put('other:v1', await buildImage({ files: [], labels: {} }));
  await writeCatalog('inline.json', '');
  await writeCatalog('image.json', `${registry.host}/lights:v1`);
  await writeCatalog('gone.json', `${registry.host}/gone:v1`);
  await writeCatalog('other.json', `${registry.host}/other:v1`);
});
afterAll(async () => {
  await registry.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A catalog with the sample bundle: its manifests inline, or, with an image, left to it. */
async function writeCatalog(name: string, image: string): Promise<void> {
  const { objects: _parsed, ...blob } = catalogBundleOf(readBundle(await readTree(BUNDLE)), image);
  const properties = blob.properties.filter(({ type }) => image === '' || type !== 'olm.bundle.object');
  const blobs = [
    { schema: 'olm.package', name: blob.package, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: blob.package, name: 'stable', entries: [{ name: blob.name }] },
    { ...blob, properties },
  ];
  await writeFile(join(folder, name), blobs.map((one) => JSON.stringify(one)).join('\n'));
}

async function plan(catalog: string, ...more: string[]) {
  const manifests = more.includes('-f') ? [] : ['-f', '-'];
  const seen = { out: '', err: '', code: 0 };
  const io: Io = {
    out: (text) => {
      seen.out += text;
    },
    err: (text) => {
      seen.err += text;
    },
    exit: (code) => {
      seen.code = code;
    },
    stdin: async () => JSON.stringify(subscription),
  };
  await run(['plan', '--catalog', `shelf=${resolve(folder, catalog)}`, ...manifests, ...more], io);
  return seen;
}

describe('steps and permissions in flotilla plan', () => {
  it.each([
    { catalog: 'inline.json', more: [], because: 'the manifests lie in the catalog' },
    { catalog: 'image.json', more: ['--pull'], because: 'the manifests are pulled from the image' },
  ])('are shown where $because', async ({ catalog, more }) => {
    const { out, code } = await plan(catalog, ...more);
    expect(code).toBe(0);
    for (const line of [
      /steps +ClusterServiceVersion lighthouse-operator\.v1\.0\.0\n +CustomResourceDefinition lighthouses\./,
      /\n +Service lighthouse-operator-metrics\n +ServiceAccount lighthouse-operator\n/,
      /\n +Role lighthouse-operator\.v1\./,
      /permissions +ServiceAccount lighthouse-operator in namespace team:\n/,
      /\n +lighthouse\.example\.com lighthouses.*: .*get, list/,
    ]) {
      expect(out).toMatch(line);
    }
  });

  it('come as data too, cluster-wide things without namespace', async () => {
    const { out } = await plan('inline.json', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      bundles: [
        {
          steps: expect.arrayContaining([
            {
              apiVersion: 'apiextensions.k8s.io/v1',
              kind: 'CustomResourceDefinition',
              name: 'lighthouses.lighthouse.example.com',
            },
            { apiVersion: 'v1', kind: 'ServiceAccount', name: 'lighthouse-operator', namespace: 'team' },
          ]),
          permissions: expect.arrayContaining([
            expect.objectContaining({ serviceAccount: 'lighthouse-operator', namespace: 'team' }),
          ]),
        },
      ],
    });
  });

  it('are left out, with the way to see them, where the manifests are in an image', async () => {
    const { out, code } = await plan('image.json');
    expect(code).toBe(0);
    expect(out).toContain('the manifests are in the image: --pull shows steps and permissions');
    expect(out).not.toMatch(/permissions +ServiceAccount/);
  });

  it('--pull says it in one line when the registry does not have the image', async () => {
    const { out, err, code } = await plan('gone.json', '--pull');
    expect({ out, code }).toEqual({ out: '', code: 3 });
    expect(err).toMatch(/gone:v1/);
  });

  it('--pull says no when the image is not a bundle, as the hub does', async () => {
    const { out, code } = await plan('other.json', '--pull');
    expect(code).toBe(1);
    expect(out).toMatch(/^bundle .*: image .*other:v1 is not a bundle: it has no file in "\/manifests\/"$/m);
  });
});

it('flotilla plan leaves out what is there already and stays', async () => {
  const subscribed = (name: string, status = {}) => ({
    ...subscription,
    metadata: { name, namespace: 'team' },
    spec: { ...subscription.spec, name },
    status,
  });
  const installed = 'lighthouse-operator.v1.0.0';
  const gvk = {
    group: 'lighthouse.example.com',
    version: 'v1',
    kind: 'Lighthouse',
    name: 'lighthouses.lighthouse.example.com',
  };
  const items = [
    subscribed('harbor-operator'),
    subscribed('lighthouse-operator', { currentCSV: installed, installedCSV: installed }),
    {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: { name: installed, namespace: 'team' },
      spec: { version: '1.0.0', customresourcedefinitions: { owned: [gvk] } },
      status: { phase: 'Succeeded' },
    },
  ];
  await writeFile(join(folder, 'installed.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const catalog = join(import.meta.dirname, '../../../../../examples/catalogs/v1');
  const { out } = await plan(catalog, '-f', join(folder, 'installed.json'), '-o', 'json');
  expect(JSON.parse(out)).toMatchObject({
    bundles: [{ name: 'harbor-operator.v1.0.0', action: 'install' }],
    subscriptionsUpdated: [{ name: 'harbor-operator' }],
  });
});
