import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runFlotilla } from '../../run-flotilla.fixture.js';

let folder = '';
const file = (name: string) => join(folder, name);

const bundle = (version: string) => ({
  schema: 'olm.bundle',
  package: 'lamp',
  name: `lamp.v${version}`,
  image: `registry.example/lamp:${version}`,
  properties: [{ type: 'olm.package', value: { packageName: 'lamp', version } }],
});
const entries = [
  { name: 'lamp.v1.0.0' },
  { name: 'lamp.v1.1.0', replaces: 'lamp.v1.0.0' },
  { name: 'lamp.v2.0.0', skips: ['lamp.v1.0.0', 'lamp.v1.1.0'] },
];
const lamp = [
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'lamp', name: 'stable', entries },
  ...['1.0.0', '1.1.0', '2.0.0'].map(bundle),
];
const extension = (catalog: object, installed?: string) => ({
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterExtension',
  metadata: { name: 'light' },
  spec: { namespace: 'lights', source: { sourceType: 'Catalog', catalog: { packageName: 'lamp', ...catalog } } },
  ...(installed && { status: { install: { bundle: { name: `lamp.v${installed}`, version: installed } } } }),
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-plan-extensions-'));
  await writeFile(file('lamp.json'), lamp.map((blob) => JSON.stringify(blob)).join('\n'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function plan(manifest: object, ...options: string[]) {
  const argv = ['plan', '--catalog', `shelf=${file('lamp.json')}`, '-f', '-', ...options];
  const { out, exit } = await runFlotilla(argv, JSON.stringify(manifest));
  return { out, exit };
}

it.each([
  {
    because: 'nothing is installed: the newest',
    manifest: extension({}),
    exit: 0,
    out: 'light: installs lamp.v2.0.0 2.0.0 from catalog shelf\n  image registry.example/lamp:2.0.0\n  It is the highest version.\n',
  },
  {
    because: 'another major version is not taken by itself',
    manifest: extension({}, '1.0.0'),
    exit: 0,
    out:
      'light (installed: 1.0.0): goes to lamp.v1.1.0 1.1.0 from catalog shelf\n  image registry.example/lamp:1.1.0\n' +
      '  It is the highest version that is installed or one upgrade away.\n' +
      '  Not lamp.v2.0.0 2.0.0 of catalog shelf: it is of another major version than 1.0.0: set spec.source.catalog.version to it.\n',
  },
  {
    because: 'nothing fits',
    manifest: extension({ version: '3.x' }),
    exit: 1,
    out:
      'light: nothing: no bundles found for package "lamp" matching version "3.x"\n' +
      ['2.0.0', '1.1.0', '1.0.0']
        .map((version) => `  Not lamp.v${version} ${version} of catalog shelf: version "3.x" excludes it.\n`)
        .join(''),
  },
])('plan of a ClusterExtension: $because', async ({ manifest, out, exit }) => {
  expect(await plan(manifest)).toEqual({ out, exit });
});

it('plan of a ClusterExtension as JSON, with the labels of the ClusterCatalog', async () => {
  const catalog = {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name: 'shelf', labels: { shelf: 'top' } },
    spec: { source: { type: 'Image', image: { ref: 'registry.example/shelf:1' } } },
  };
  const desired = extension({ selector: { matchLabels: { shelf: 'top' } } });
  const { out } = await plan({ apiVersion: 'v1', kind: 'List', items: [catalog, desired] }, '-o', 'json');
  expect(JSON.parse(out)).toMatchObject({
    verdict: 'yes',
    items: [{ extension: 'light', bundle: 'lamp.v2.0.0', catalog: 'shelf' }],
  });
  const elsewhere = extension({ selector: { matchLabels: { shelf: 'low' } } });
  expect(await plan({ apiVersion: 'v1', kind: 'List', items: [catalog, elsewhere] })).toMatchObject({ exit: 1 });
});

it.each([
  {
    because: 'it is there',
    desired: extension({}, '1.0.0'),
    exit: 0,
    says: /^ClusterExtension light goes to lamp.v1.1.0 1.1.0 of catalog shelf.\nIt is the highest version/,
  },
  {
    because: 'it gets nothing',
    desired: extension({ version: '3.x' }),
    exit: 1,
    says: /^no bundles found for package "lamp".*\n.*version "3.x" excludes it/,
  },
])('explain of a ClusterExtension in files: $because', async ({ desired, exit, says }) => {
  const argv = ['explain', 'extension', 'light', '--catalog', `shelf=${file('lamp.json')}`, '-f', '-'];
  const answer = await runFlotilla(argv, JSON.stringify(desired));
  expect(answer).toMatchObject({ exit, out: expect.stringMatching(says) });
  const data = await runFlotilla([...argv, '-o', 'json'], JSON.stringify(desired));
  expect(JSON.parse(data.out)).toMatchObject({
    verdict: exit === 0 ? 'yes' : 'no',
    kind: 'ClusterExtension',
    name: 'light',
    well: exit === 0,
  });
});

it('plan and explain say the same of what is installed, also where its release stands apart from its version', async () => {
  const blobs = [
    { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
    { schema: 'olm.channel', package: 'lamp', name: 'stable', entries: [{ name: 'lamp.v1.0.0+2' }] },
    bundle('1.0.0+2'),
  ];
  await writeFile(file('released.json'), blobs.map((blob) => JSON.stringify(blob)).join('\n'));
  const installed = { name: 'lamp.v1.0.0+2', version: '1.0.0', release: '2' };
  const desired = JSON.stringify({ ...extension({}), status: { install: { bundle: installed } } });
  const given = ['--catalog', `shelf=${file('released.json')}`, '-f', '-'];
  const planned = await runFlotilla(['plan', ...given], desired);
  expect(planned.out).toContain('light (installed: 1.0.0): stays at lamp.v1.0.0+2 1.0.0+2 from catalog shelf\n');
  const explained = await runFlotilla(['explain', 'extension', 'light', ...given], desired);
  expect(explained.out).toContain('ClusterExtension light stays at lamp.v1.0.0+2 1.0.0+2 of catalog shelf.\n');
});

it('explain of a ClusterExtension that the files have not', async () => {
  const argv = ['explain', 'extension', 'other', '--catalog', `shelf=${file('lamp.json')}`, '-f', '-'];
  const { err, exit } = await runFlotilla(argv, JSON.stringify(extension({})));
  expect([err.trim(), exit]).toEqual(['error: no ClusterExtension other in the manifests; there is light', 1]);
});

it('reads explicit releases where the setting of the hub turns the feature gate on', async () => {
  const of = (name: string, release: string) => ({
    ...bundle('1.0.0'),
    name,
    properties: [{ type: 'olm.package', value: { packageName: 'lamp', version: '1.0.0', release } }],
  });
  const channel = { ...lamp[1], entries: [{ name: 'lamp.a' }, { name: 'lamp.b' }] };
  const blobs = [lamp[0], channel, of('lamp.a', '1'), of('lamp.b', '2')];
  await writeFile(file('releases.json'), blobs.map((blob) => JSON.stringify(blob)).join('\n'));
  const chosen = async () => {
    const argv = ['plan', '--catalog', `shelf=${file('releases.json')}`, '-f', '-', '-o', 'json'];
    const { out } = await runFlotilla(argv, JSON.stringify(extension({})));
    return JSON.parse(out).items[0].bundle;
  };
  expect(await chosen()).toBe('lamp.a');
  vi.stubEnv('FLOTILLA_BUNDLE_RELEASE_SUPPORT', 'true');
  try {
    expect(await chosen()).toBe('lamp.b');
  } finally {
    vi.unstubAllEnvs();
  }
});
