import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PackageRecord } from '#core/catalog/model/package-record';
import { indexCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { sampleEntry, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { MetasIndexFiles } from '#platform/metas/index-files';
import { SharedMetas } from '../../catalogs/cluster-catalogs/shared-metas.js';
import type { CatalogRefresh } from '../../catalogs/sources/catalog-refresh.js';
import { objectOf } from '../classic-cluster.fixture.js';
import { lampCsv } from '../csvs/csvs.fixture.js';
import { PackagesInSight } from './packages-in-sight.js';

let store: MemoryContentStore;
let folder: string;
let indexes: Promise<MetasIndexFiles>;
let opened: number;
let closed: number;
beforeEach(async () => {
  store = new MemoryContentStore();
  folder = await mkdtemp(join(tmpdir(), 'flotilla-packages-'));
  indexes = MetasIndexFiles.open(folder, new Date());
  await indexes;
  [opened, closed] = [0, 0];
  const open = store.open.bind(store);
  store.open = async (digest) => {
    const content = await open(digest);
    opened += 1;
    return (
      content && {
        ...content,
        size: content.size,
        read: content.read.bind(content),
        close: async () => {
          closed += 1;
        },
      }
    );
  };
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const put = (value: unknown) => store.put(new TextEncoder().encode(JSON.stringify(value)));
const csvOf = (name: string, version: string) =>
  lampCsv('', `${name}.v${version}`, { spec: { version, displayName: name.toUpperCase() } });
/** A package whose bundles are inline in the catalog. */
async function inline(name: string, ...versions: readonly string[]): Promise<PackageRecord> {
  const entries = await Promise.all(
    versions.map(async (version, at) => {
      const replaces = at === 0 ? '' : `${name}.v${versions[at - 1]}`;
      return sampleEntry(name, version, [], { replaces, source: { inline: await put([csvOf(name, version)]) } });
    }),
  );
  return samplePackage(name, ...entries);
}
type Parts = Readonly<{ failure?: string; content?: string; spec?: object }>;
function catalog(
  place: string,
  records: readonly PackageRecord[],
  { failure, content = '', spec = {} }: Parts = {},
): CatalogRefresh {
  const [namespace = '', name = ''] = place.split('/');
  const source = objectOf('CatalogSource', name, namespace, {
    spec: { sourceType: 'configmap', configMap: 'c', displayName: name, ...spec },
  });
  const loaded = { digest: 'd', content, index: indexCatalog(records), packages: records.length };
  return { source, loaded, failure } as unknown as CatalogRefresh;
}
async function shown(refreshes: readonly CatalogRefresh[], own?: string, name?: string) {
  const metas = new SharedMetas(store, indexes);
  return Array.fromAsync(new PackagesInSight(refreshes, own, { store, metas }).manifests(name));
}
const names = (manifests: Awaited<ReturnType<typeof shown>>) =>
  manifests.map(({ metadata, status }) => `${metadata.name} ${status.catalogSourceNamespace}/${status.catalogSource}`);

describe('catalog-sources.md §9: the packages in sight of a namespace', () => {
  it('are sorted by name; those of its own catalogs come before those of others', async () => {
    const refreshes = [
      catalog('olm/b', [await inline('lamp', '1.0.0'), await inline('wick', '1.0.0')]),
      catalog('olm/a', [await inline('lamp', '1.0.0')]),
      catalog('shop/z', [await inline('lamp', '1.0.0')]),
    ];
    expect(names(await shown(refreshes, 'shop'))).toEqual(['lamp shop/z', 'lamp olm/a', 'lamp olm/b', 'wick olm/b']);
    expect(names(await shown(refreshes, undefined))).toEqual(['lamp olm/a', 'lamp olm/b', 'lamp shop/z', 'wick olm/b']);
  });

  it('show the CSV at the head of their channel', async () => {
    const [manifest] = await shown([catalog('olm/a', [await inline('lamp', '1.0.0', '2.0.0')])]);
    expect(manifest?.status).toMatchObject({
      defaultChannel: 'stable',
      channels: [
        {
          name: 'stable',
          currentCSV: 'lamp.v2.0.0',
          currentCSVDesc: { version: '2.0.0', displayName: 'LAMP' },
          entries: [{ name: 'lamp.v2.0.0' }, { name: 'lamp.v1.0.0' }],
        },
      ],
    });
  });

  it('one name asked for is that one alone', async () => {
    const refreshes = [catalog('olm/a', [await inline('lamp', '1.0.0'), await inline('wick', '1.0.0')])];
    expect(names(await shown(refreshes, undefined, 'wick'))).toEqual(['wick olm/a']);
    expect(await shown(refreshes, undefined, 'none')).toEqual([]);
  });

  it.each([
    ['that resolution may not use', { failure: 'no registry client established' }],
    ['that is no CatalogSource', { spec: { sourceType: 7 } }],
  ])('a catalog %s shows none', async (_, parts) => {
    expect(await shown([catalog('olm/a', [await inline('lamp', '1.0.0')], parts)])).toEqual([]);
  });

  it('a catalog that was never loaded shows none', async () => {
    expect(await shown([{ ...catalog('olm/a', []), loaded: undefined } as unknown as CatalogRefresh])).toEqual([]);
  });
});

describe('a package without a readable CSV is left out, and the others are shown', () => {
  it.each([
    ['its bundle is an image', async () => samplePackage('lamp', sampleEntry('lamp', '1.0.0'))],
    [
      'its content is held nowhere',
      async () =>
        samplePackage('lamp', sampleEntry('lamp', '1.0.0', [], { source: { inline: `sha256:${'0'.repeat(64)}` } })),
    ],
    [
      'its content has a name that is no digest',
      async () => samplePackage('lamp', sampleEntry('lamp', '1.0.0', [], { source: { inline: 'lamp' } })),
    ],
    [
      'its content has no CSV',
      async () =>
        samplePackage(
          'lamp',
          sampleEntry('lamp', '1.0.0', [], { source: { inline: await put([objectOf('ConfigMap', 'x')]) } }),
        ),
    ],
    [
      'its content is no list',
      async () => samplePackage('lamp', sampleEntry('lamp', '1.0.0', [], { source: { inline: await put({}) } })),
    ],
    [
      'its channel goes in a circle',
      async () => samplePackage('lamp', sampleEntry('lamp', '1.0.0', [], { replaces: 'lamp.v1.0.0' })),
    ],
  ])('%s', async (_, made) => {
    const refreshes = [catalog('olm/a', [await made(), await inline('wick', '1.0.0')])];
    expect(names(await shown(refreshes))).toEqual(['wick olm/a']);
  });
});

describe('the packages of a catalog image', () => {
  const csvMetadata = {
    displayName: 'Lamp',
    annotations: {},
    apiServiceDefinitions: {},
    crdDescriptions: {},
    provider: { name: 'Example' },
  };
  const bundle = (name: string, version: string) => ({
    schema: 'olm.bundle',
    name: `${name}.v${version}`,
    package: name,
    image: `registry.test/${name}:${version}`,
    properties: [
      { type: 'olm.package', value: { packageName: name, version } },
      { type: 'olm.csv.metadata', value: csvMetadata },
    ],
  });
  const blobs = ['lamp', 'wick'].flatMap((name) => [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: name, name: 'stable', entries: [{ name: `${name}.v1.0.0` }] },
    bundle(name, '1.0.0'),
  ]);
  const IMAGE = { sourceType: 'grpc', configMap: undefined, image: 'registry.test/shelf:1' };
  const held = async () =>
    String(await store.put(new TextEncoder().encode(blobs.map((blob) => `${JSON.stringify(blob)}\n`).join(''))));
  const records = ['lamp', 'wick'].map((name) => samplePackage(name, sampleEntry(name, '1.0.0')));

  it('show the CSV that is made of the metadata there', async () => {
    const [lamp, wick] = await shown([catalog('olm/a', records, { content: await held(), spec: IMAGE })]);
    expect(lamp?.status.channels).toMatchObject([
      { currentCSV: 'lamp.v1.0.0', currentCSVDesc: { displayName: 'Lamp' } },
    ]);
    expect(wick?.status.channels).toMatchObject([{ currentCSV: 'wick.v1.0.0' }]);
  });

  it('two catalogs with one content: it is opened once, and closed in the end', async () => {
    const content = await held();
    const refreshes = ['olm/a', 'olm/b'].map((place) => catalog(place, records, { content, spec: IMAGE }));
    expect(await shown(refreshes)).toHaveLength(4);
    expect([opened, closed]).toEqual([1, 1]);
  });

  it('a reader that stops early closes it, too', async () => {
    const metas = new SharedMetas(store, indexes);
    const sight = new PackagesInSight([catalog('olm/a', records, { content: await held(), spec: IMAGE })], undefined, {
      store,
      metas,
    });
    for await (const manifest of sight.manifests()) {
      expect(manifest.metadata.name).toBe('lamp');
      break;
    }
    expect([opened, closed]).toEqual([1, 1]);
  });

  it('content that is no longer held is an error, not an empty list', async () => {
    const gone = catalog('olm/a', records, { content: `sha256:${'0'.repeat(64)}`, spec: IMAGE });
    await expect(shown([gone])).rejects.toMatchObject({ code: 'ContentUnreachable' });
  });

  it('a bundle that the content has lost leaves its package out', async () => {
    const content = String(
      await store.put(
        new TextEncoder().encode(
          blobs
            .filter((blob) => blob.name !== 'lamp.v1.0.0')
            .map((blob) => `${JSON.stringify(blob)}\n`)
            .join(''),
        ),
      ),
    );
    expect(names(await shown([catalog('olm/a', records, { content, spec: IMAGE })]))).toEqual(['wick olm/a']);
  });
});
