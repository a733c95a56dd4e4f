import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { serveCrds } from '#testing/cluster/served-crds';
import { freePorts } from '#testing/control-plane/free-ports';
import { PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const SOURCE = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };
const ICON = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');

const bundle = (pkg: string, version: string, properties: readonly unknown[]) => ({
  schema: 'olm.bundle',
  name: `${pkg}.v${version}`,
  package: pkg,
  image: `registry.example/${pkg}:${version}`,
  properties: [{ type: 'olm.package', value: { packageName: pkg, version } }, ...properties],
  relatedImages: [{ name: 'it', image: `registry.example/${pkg}-it:${version}` }],
});
const metadata = (displayName: string) => ({
  type: 'olm.csv.metadata',
  value: { displayName, provider: { name: 'Lights' }, labels: { shade: 'warm' } },
});
const catalogOf = (pkg: string, displayName: string) => [
  {
    schema: 'olm.package',
    name: pkg,
    defaultChannel: 'stable',
    description: `About ${pkg}`,
    icon: { base64data: ICON, mediatype: 'image/svg+xml' },
  },
  {
    schema: 'olm.channel',
    package: pkg,
    name: 'stable',
    entries: [{ name: `${pkg}.v1.0.0` }, { name: `${pkg}.v1.1.0`, replaces: `${pkg}.v1.0.0` }],
  },
  bundle(pkg, '1.0.0', [metadata('Old')]),
  bundle(pkg, '1.1.0', [metadata(displayName)]),
  {
    schema: 'olm.deprecations',
    package: pkg,
    entries: [{ reference: { schema: 'olm.bundle', name: `${pkg}.v1.0.0` }, message: 'too dim' }],
  },
];

type Item = Readonly<{
  metadata: { name: string; namespace: string; labels: Record<string, string> };
  status: {
    catalogSource: string;
    channels: { name: string; currentCSV: string; currentCSVDesc: Record<string, unknown>; entries: unknown[] }[];
  };
}>;

describe('the packages of a cluster at the hub', () => {
  let registry: InMemoryRegistry;
  let environment: ServicesEnvironment;
  let api: string;

  beforeAll(async () => {
    registry = await startRegistry();
    for (const [name, blobs] of Object.entries({
      global: [...catalogOf('lamp', 'Lamp'), ...catalogOf('moon', 'Moon')],
      own: catalogOf('lamp', 'Our own lamp'),
    })) {
      const bytes = Buffer.from(blobs.map((blob) => JSON.stringify(blob)).join('\n'));
      const files = [{ path: 'configs/catalog.json', bytes }];
      registry.put(`shelf/${name}:1`, await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
    }
    const [port] = await freePorts(1);
    environment = await startQuickEnvironment({ registry, settings: { FLOTILLA_CATALOG_POLLER_PORT: String(port) } });
    const [east] = environment.clients;
    if (east === undefined) throw new Error('the environment has no cluster');
    api = `http://127.0.0.1:${port}/clusters/${east.cluster}/apis/packages.operators.coreos.com/v1`;
    await serveCrds(east);
    for (const namespace of ['olm', 'team']) {
      await east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    }
    const shelf = (name: string, namespace: string) => ({
      ...SOURCE,
      metadata: { name, namespace },
      spec: { sourceType: 'grpc', image: `${registry.host}/shelf/${name}:1`, displayName: `${name} shelf` },
    });
    await vi.waitFor(async () => expect(await east.serves(SOURCE)).toBe(true), PATIENCE);
    await east.create(shelf('global', 'olm'));
    await east.create(shelf('own', 'team'));
    await vi.waitFor(async () => expect(await list('packagemanifests')).toHaveLength(3), PATIENCE);
  });
  afterAll(async () => {
    await environment?.stop();
    await registry?.stop();
  });

  const ask = async (path: string, init: RequestInit = {}) => fetch(`${api}/${path}`, init).catch(() => undefined);
  const json = async <T>(path: string) => (await (await ask(path))?.json()) as T;
  const list = async (path: string) => (await json<{ items?: Item[] } | undefined>(path))?.items ?? [];
  const names = async (path: string) =>
    (await list(path)).map(
      ({ metadata, status }) => `${metadata.namespace}/${metadata.name} of ${status.catalogSource}`,
    );

  it('are those of all catalogs, or of a namespace: its own and the global ones, as if they were its own', async () => {
    expect(await names('packagemanifests')).toEqual(['olm/lamp of global', 'team/lamp of own', 'olm/moon of global']);
    expect(await names('namespaces/team/packagemanifests')).toEqual([
      'team/lamp of own',
      'team/lamp of global',
      'team/moon of global',
    ]);
    expect(await names('namespaces/other/packagemanifests')).toEqual(['other/lamp of global', 'other/moon of global']);
    expect(await names('namespaces/team/packagemanifests?labelSelector=catalog%3Down')).toEqual(['team/lamp of own']);
    expect(await names('namespaces/team/packagemanifests?fieldSelector=metadata.name%3Dmoon')).toEqual([
      'team/moon of global',
    ]);
  });

  it('say what OLM’s package server says', async () => {
    const lamp = await json<Item>('namespaces/team/packagemanifests/lamp');
    expect(lamp).toMatchObject({
      apiVersion: 'packages.operators.coreos.com/v1',
      kind: 'PackageManifest',
      metadata: {
        namespace: 'team',
        labels: { catalog: 'own', 'catalog-namespace': 'team', provider: 'Lights', shade: 'warm' },
      },
      status: { defaultChannel: 'stable', catalogSourceDisplayName: 'own shelf', provider: { name: 'Lights' } },
    });
    const [stable] = lamp.status.channels;
    expect(stable).toMatchObject({
      currentCSV: 'lamp.v1.1.0',
      currentCSVDesc: {
        displayName: 'Our own lamp',
        version: '1.1.0',
        description: 'About lamp',
        relatedImages: ['registry.example/lamp-it:1.1.0'],
      },
      entries: [
        { name: 'lamp.v1.1.0', version: '1.1.0' },
        { name: 'lamp.v1.0.0', version: '1.0.0', deprecation: { message: 'too dim' } },
      ],
    });
    expect(stable?.currentCSVDesc).not.toHaveProperty('icon');
  });

  it('have an icon, which is sent once', async () => {
    const icon = await ask('namespaces/team/packagemanifests/lamp/icon');
    expect(icon?.headers.get('content-type')).toBe('image/svg+xml');
    expect(icon?.headers.get('etag')).toBe('"lamp.stable.lamp.v1.1.0"');
    expect(await icon?.text()).toContain('<svg');
    const again = { headers: { 'if-none-match': '"lamp.stable.lamp.v1.1.0"' } };
    expect((await ask('namespaces/team/packagemanifests/lamp/icon?resourceVersion=lamp.1', again))?.status).toBe(304);
  });

  it.each([
    { path: 'namespaces/team/packagemanifests/none', status: 404, message: /"none" not found$/ },
    { path: 'namespaces/team/packagemanifests/none/icon', status: 404, message: /"none" not found$/ },
    { path: 'namespaces/team/subscriptions', status: 404, message: /could not find/ },
    { path: 'packagemanifests?watch=true', status: 400, message: /cannot be watched/ },
  ])('$path: $status', async ({ path, status, message }) => {
    const answer = await ask(path);
    expect([answer?.status, await answer?.json()]).toEqual([
      status,
      expect.objectContaining({ kind: 'Status', code: status, message: expect.stringMatching(message) }),
    ]);
  });

  it('are shown by the command, as kubectl shows them under OLM', async () => {
    const hub = api.replace(/\/clusters\/.*$/, '');
    const shown = async (...more: string[]) =>
      runFlotilla(['catalog', 'packages', '--cluster', environment.clients[0]?.cluster ?? '', '--hub', hub, ...more]);
    const all = await shown();
    expect([all.exit, all.out.split('\n').map((line) => line.replace(/ \d+[ms]\w*$/, ' AGE'))]).toEqual([
      0,
      [
        'NAMESPACE  NAME  CATALOG       AGE',
        'olm        lamp  global shelf  AGE',
        'team       lamp  own shelf     AGE',
        'olm        moon  global shelf  AGE',
        '',
      ],
    ]);
    const wide = await shown('-n', 'team', '-o', 'wide', 'lamp');
    expect(wide.out).toMatch(/^NAME +CATALOG +AGE +DEFAULT CHANNEL +CSV\nlamp +own shelf .* stable +lamp.v1.1.0\n/);
    expect((await shown('-n', 'team', '-o', 'name')).out).toBe('lamp\nmoon\n');
    expect(JSON.parse((await shown('-n', 'team', '-o', 'json', 'moon')).out).items).toHaveLength(1);
    expect((await shown('-o', 'yaml', 'moon')).out).toContain('kind: PackageManifestList');
    expect(await shown('none')).toMatchObject({ exit: 1, err: 'package "none" not found\n' });
  });

  it.each([
    { args: ['--cluster', 'nowhere'], exit: 2, err: /cluster "nowhere" is not watched by this hub/ },
    {
      args: ['--cluster', 'east', '--hub', 'http://127.0.0.1:1'],
      exit: 3,
      err: /does not answer .*name another hub with --hub/,
    },
    { args: ['--cluster', 'east', '-o', 'xml'], exit: 2, err: /expected \(table/ },
    { args: ['-n', 'team', './catalog'], exit: 2, err: /need --cluster/ },
    { args: ['--cluster', 'east', './catalog', 'lamp'], exit: 2, err: /name only the package/ },
    { args: [], exit: 2, err: /missing required argument 'ref'/ },
  ])('$args: exit code $exit', async ({ args, exit, err }) => {
    const hub = api.replace(/\/clusters\/.*$/, '');
    const given = args.includes('--cluster') && !args.includes('--hub') ? ['--hub', hub, ...args] : args;
    expect(await runFlotilla(['catalog', 'packages', ...given])).toMatchObject({
      exit,
      err: expect.stringMatching(err),
    });
  });

  it('go with their catalog', async () => {
    const [east] = environment.clients;
    await east?.delete({ ...SOURCE, name: 'own', namespace: 'team' });
    await expect
      .poll(() => names('namespaces/team/packagemanifests'), PATIENCE)
      .toEqual(['team/lamp of global', 'team/moon of global']);
  });
});
