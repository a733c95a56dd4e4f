import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { sampleEntry, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import type { CatalogQuestion } from '#core/view/questions/console-question';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { MetasIndexFiles } from '#platform/metas/index-files';
import type { MetasContent } from '#platform/metas/metas-content';
import { SharedMetas } from '../../catalogs/cluster-catalogs/shared-metas.js';
import { ConsoleCatalogs, type ConsoleCatalogsOptions } from './console-catalogs.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const ICON = '<svg xmlns="http://www.w3.org/2000/svg"></svg>';
const of = { v: 1, cluster: 'ship', namespace: 'olm', name: 'shelf', source: 'CatalogSource', digest: DIGEST } as const;
const list = (words: string): CatalogQuestion => ({ ...of, ask: 'packages', words, offset: 0, limit: 50 });

/** A ClusterCatalog, whose content is blobs alone. */
const SERVED = {
  metadata: { name: 'pier' },
  status: { resolvedSource: { type: 'Image', image: { ref: `registry.test/pier@${DIGEST}` } } },
};
const CRANE = [
  { schema: 'olm.package', name: 'crane', defaultChannel: 'stable' },
  ...['1.0.0', '2.0.0'].map((version) => ({
    ...{ schema: 'olm.bundle', name: `crane.v${version}`, package: 'crane', image: `registry.test/crane:${version}` },
    properties: [
      { type: 'olm.package', value: { packageName: 'crane', version } },
      { type: 'olm.csv.metadata', value: { displayName: 'Harbor crane', provider: { name: 'Example' } } },
    ],
  })),
  {
    ...{ schema: 'olm.channel', package: 'crane', name: 'stable' },
    entries: [{ name: 'crane.v2.0.0', replaces: 'crane.v1.0.0' }, { name: 'crane.v1.0.0' }],
  },
];

async function openBlobs(store: MemoryContentStore): Promise<MetasContent> {
  const digest = await store.put(new TextEncoder().encode(CRANE.map((blob) => `${JSON.stringify(blob)}\n`).join('')));
  folder = await mkdtemp(join(tmpdir(), 'console-catalogs-'));
  const metas = new SharedMetas(store, MetasIndexFiles.open(folder, new Date()));
  const lease = await metas.acquire(digest);
  release = lease.release;
  return lease.content;
}

let folder: string;
let release: () => void;
let catalogs: ConsoleCatalogs;
let reads: number;

beforeEach(async () => {
  const store = new MemoryContentStore();
  const csv = {
    kind: 'ClusterServiceVersion',
    metadata: { name: 'lamp.v1.0.0' },
    spec: {
      ...{ displayName: 'Bright lamp', version: '1.0.0', description: 'Light' },
      icon: [{ base64data: Buffer.from(ICON).toString('base64'), mediatype: 'image/svg+xml' }],
    },
  };
  const inline = await store.put(new TextEncoder().encode(JSON.stringify([csv])));
  const lamp = samplePackage('lamp', sampleEntry('lamp', '1.0.0', [], { source: { inline } }));
  const records = [lamp, samplePackage('wick', sampleEntry('wick', '1.0.0'))];
  const metadata = { namespace: 'olm', name: 'shelf' };
  const spec = { sourceType: 'internal', configMap: 'shelf' };
  const api = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };
  const refresh = { source: { ...api, metadata, spec }, loaded: { digest: DIGEST, index: indexCatalog(records) } };
  reads = 0;
  const get: MemoryContentStore['get'] = (digest) => {
    reads += 1;
    return store.get(digest);
  };
  const served = { catalog: SERVED, served: { content: await openBlobs(store) } };
  const parts = { classic: { catalogs: { all: () => [refresh] } }, v1: { catalogs: { all: () => [served] } } };
  const options = { of: (cluster: string) => (cluster === 'ship' ? parts : undefined), store: { get } };
  catalogs = new ConsoleCatalogs(options as unknown as ConsoleCatalogsOptions);
});

afterEach(async () => {
  release();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

describe('what a poller says of a catalog', () => {
  it('is its packages, found by their words, and read once', async () => {
    expect(await catalogs.answer(list('BRIGHT'))).toMatchObject({ answer: { total: 1, items: [{ package: 'lamp' }] } });
    expect(await catalogs.answer(list(''))).toMatchObject({ answer: { total: 2 } });
    expect(reads).toBe(1);
  });

  it('is a package, its icon and its graph', async () => {
    const lamp = { ...of, package: 'lamp' } as const;
    const named = { displayName: 'Bright lamp', icon: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(await catalogs.answer({ ...lamp, ask: 'package' })).toMatchObject({ answer: named });
    const icon = { base64: Buffer.from(ICON).toString('base64') };
    const hash = createHash('sha256').update(ICON).digest('hex');
    expect(await catalogs.answer({ ...lamp, ask: 'icon', hash })).toEqual({ answer: icon });
    const guessed = await catalogs.answer({ ...lamp, ask: 'icon', hash: 'a'.repeat(64) });
    expect(guessed, 'for those who were shown it').toMatchObject({ because: 'gone' });
    const channels = [{ name: 'stable', nodes: [{ bundle: 'lamp.v1.0.0' }] }];
    expect(await catalogs.answer({ ...lamp, ask: 'graph', from: '' })).toMatchObject({ answer: { channels } });
  });

  it('is what a ClusterCatalog serves', async () => {
    const pier = { ...of, source: 'ClusterCatalog', namespace: '', name: 'pier' } as const;
    expect(await catalogs.answer({ ...list('harbor'), ...pier })).toMatchObject({
      answer: { total: 1, items: [{ package: 'crane', displayName: 'Harbor crane', provider: 'Example' }] },
    });
    const crane = { ...pier, package: 'crane' } as const;
    const channels = [{ name: 'stable', entries: [{ version: '2.0.0' }, { version: '1.0.0' }] }];
    expect(await catalogs.answer({ ...crane, ask: 'package' })).toMatchObject({ answer: { channels } });
    expect(await catalogs.answer({ ...crane, ask: 'graph', from: 'crane.v1.0.0' })).toMatchObject({
      answer: { channels: [{ name: 'stable', edges: [expect.anything()] }] },
    });
    expect(await catalogs.answer({ ...crane, ask: 'package', package: 'none' })).toMatchObject({ because: 'gone' });
  });

  it.each([
    ['another content', { digest: `sha256:${'b'.repeat(64)}` }],
    ['another cluster', { cluster: 'elsewhere' }],
    ['another catalog', { name: 'other' }],
    ['a ClusterCatalog of that name', { source: 'ClusterCatalog' as const }],
  ])('is nothing for %s', async (_, more) => {
    expect(await catalogs.answer({ ...list(''), ...more })).toMatchObject({ because: 'gone' });
  });
});
