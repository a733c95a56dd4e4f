import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Catalog } from '#core/catalog/model/catalog';
import { SystemClock } from '#platform/clock/system-clock';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { PATIENCE } from '#testing/patience';
import { CatalogContents } from '../contents/catalog-contents.js';
import type { Shared } from '../shared-loads.js';
import { SharedCatalogs } from './shared-catalogs.js';

const NOW = { withinMs: 0, patient: false };
let server: CatalogServer;
let catalogs: SharedCatalogs;
let listings: number;
const endings: (() => void)[] = [];

class CountedContents extends CatalogContents {
  override ofListing(listing: Parameters<CatalogContents['ofListing']>[0]) {
    listings += 1;
    return super.ofListing(listing);
  }
}

const catalog = (version: string): Catalog => ({
  packages: [{ schema: 'olm.package', name: 'ant', defaultChannel: 'stable' }],
  channels: [{ schema: 'olm.channel', name: 'stable', package: 'ant', entries: [{ name: `ant.v${version}` }] }],
  bundles: [
    {
      schema: 'olm.bundle',
      name: `ant.v${version}`,
      package: 'ant',
      image: 'registry.example/ant:1',
      properties: [{ type: 'olm.package', value: { packageName: 'ant', version } }],
      relatedImages: [],
      objects: [],
    },
  ],
  deprecations: [],
  others: [],
});

beforeEach(async () => {
  listings = 0;
  server = await serveCatalog(catalog('1.0.0'), { port: 0 });
  const contents = new CountedContents(new HttpRegistryClient({}), new MemoryContentStore());
  catalogs = new SharedCatalogs({ contents, clock: new SystemClock(), random: () => 0.5 });
});
afterEach(async () => {
  for (const end of endings.splice(0)) end();
  await server.stop();
});

const address = () => `127.0.0.1:${server.port}`;
const follow = (onBack: () => void = () => undefined) => {
  const end = catalogs.follow(address(), onBack);
  endings.push(end);
  return end;
};
const versions = (answer: Shared<{ index: { package(name: string): { record: unknown } | undefined } }>) =>
  'value' in answer
    ? JSON.stringify(answer.value.index.package('ant')?.record).match(/ant\.v[0-9.]+/)?.[0]
    : answer.error;

describe('a registry server that many clusters name', () => {
  it('is listed once for all of them', async () => {
    for (let n = 0; n < 50; n += 1) follow();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => catalogs.ofAddress(address(), { withinMs: 5_000, patient: false })),
    );
    expect(new Set(answers.map(versions))).toEqual(new Set(['ant.v1.0.0']));
    expect(listings).toBe(1);
  });

  it('that is replaced at its address is news to all of them, and its old answers stand no more', async () => {
    let notified = 0;
    for (let n = 0; n < 3; n += 1) {
      follow(() => {
        notified += 1;
      });
    }
    const old = { withinMs: 60_000, patient: true };
    expect(versions(await catalogs.ofAddress(address(), old))).toBe('ant.v1.0.0');
    const { port } = server;
    await server.stop();
    server = await serveCatalog(catalog('2.0.0'), { port });
    await expect.poll(() => notified, PATIENCE).toBe(3);
    expect(versions(await catalogs.ofAddress(address(), old))).toBe('ant.v2.0.0');
    expect(listings).toBe(2);
  });

  it('that went away has no answer for a source that is made then: the next server there may be another', async () => {
    let notified = 0;
    follow(() => {
      notified += 1;
    });
    const old = { withinMs: 3_600_000, patient: true };
    expect(versions(await catalogs.ofAddress(address(), old))).toBe('ant.v1.0.0');
    const { port } = server;
    await server.stop();
    await expect.poll(async () => 'error' in (await catalogs.ofAddress(address(), old)), PATIENCE).toBe(true);
    server = await serveCatalog(catalog('2.0.0'), { port });
    await expect.poll(() => notified, PATIENCE).toBe(1);
    expect(versions(await catalogs.ofAddress(address(), old))).toBe('ant.v2.0.0');
  });

  it('stays for the other clusters when one releases it', async () => {
    const [first, second] = [follow(), follow()];
    first();
    expect(versions(await catalogs.ofAddress(address(), NOW))).toBe('ant.v1.0.0');
    second();
    follow();
    expect(versions(await catalogs.ofAddress(address(), NOW)), 'with a new connection').toBe('ant.v1.0.0');
  });
});

describe('an address', () => {
  it('that is none is refused when it is followed and when it is asked', async () => {
    expect(() => catalogs.follow('unix:/x', () => undefined)).toThrow('expected HOST:PORT');
    const answer = await catalogs.ofAddress('unix:/x', NOW);
    expect('error' in answer && String(answer.error)).toContain('expected HOST:PORT');
  });
});

describe('what of a listing cannot be read', () => {
  it('is said beside the rest: the bundle of a ConfigMap', async () => {
    const leftOut = ['package bee: bundle bee.v1: no'];
    const loaded = await catalogs.ofInline({ catalog: catalog('1.0.0'), leftOut });
    expect(loaded).toMatchObject({ packages: 1, leftOut });
    expect(await catalogs.ofInline({ catalog: catalog('1.0.0'), leftOut: [] })).not.toHaveProperty('leftOut');
  });

  it('is said beside the rest: the bundle of a registry server', async () => {
    const listed = catalog('1.0.0');
    const [good] = listed.bundles;
    if (good === undefined) throw new Error('no bundle');
    const objects = [{ metadata: { name: 'ants' } }];
    const data = Buffer.from(JSON.stringify(objects[0])).toString('base64');
    const properties = [
      { type: 'olm.package', value: { packageName: 'ant', version: '2.0.0' } },
      { type: 'olm.bundle.object', value: { data } },
    ];
    const bad = { ...good, name: 'ant.v2.0.0', image: '', objects, properties };
    const entries = [{ name: bad.name, replaces: good.name }, { name: good.name }];
    const channels = listed.channels.map((channel) => ({ ...channel, entries }));
    await server.stop();
    server = await serveCatalog({ ...listed, channels, bundles: [good, bad] }, { port: 0 });
    const asked = await catalogs.ofAddress(address(), NOW);
    expect(asked).toMatchObject({
      value: { leftOut: ['package "ant": bundle "ant.v2.0.0": object 1 (ants): kind is missing'] },
    });
    expect(versions(asked)).toBe('ant.v1.0.0');
  });
});
