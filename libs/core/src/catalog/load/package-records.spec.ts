import { describe, expect, it } from 'vitest';
import type { Catalog, CatalogBundle } from '../model/catalog.js';
import { recordHash } from '../model/package-record.js';
import { packageRecords } from './package-records.js';

const bundle = (name: string, more: Partial<CatalogBundle> = {}): CatalogBundle => ({
  schema: 'olm.bundle',
  name,
  package: 'harbor',
  image: `registry.test/${name}`,
  properties: [{ type: 'olm.package', value: { packageName: 'harbor', version: '1.0.0' } }],
  relatedImages: [],
  objects: [],
  ...more,
});
const catalog = (more: Partial<Catalog>): Catalog => ({
  packages: [{ schema: 'olm.package', name: 'harbor', defaultChannel: 'stable' }],
  channels: [
    {
      schema: 'olm.channel',
      package: 'harbor',
      name: 'stable',
      entries: [{ name: 'b', replaces: 'a' }, { name: 'a' }],
    },
    {
      schema: 'olm.channel',
      package: 'harbor',
      name: 'fast',
      entries: [{ name: 'b', skips: ['a'], skipRange: '<1.0.0' }],
    },
  ],
  bundles: [bundle('a'), bundle('b')],
  deprecations: [],
  others: [],
  ...more,
});
const records = (more: Partial<Catalog> = {}) => packageRecords(catalog(more), () => 'sha256:inline');
const entries = (more: Partial<Catalog> = {}) => records(more)[0]?.entries ?? [];

describe('packageRecords', () => {
  it('gives every entry of every channel its own edges', () => {
    expect(
      entries().map(({ channel, name, replaces, skips, skipRange }) => ({ channel, name, replaces, skips, skipRange })),
    ).toEqual([
      { channel: 'fast', name: 'b', replaces: '', skips: ['a'], skipRange: '<1.0.0' },
      { channel: 'stable', name: 'a', replaces: '', skips: [], skipRange: '' },
      { channel: 'stable', name: 'b', replaces: 'a', skips: [], skipRange: '' },
    ]);
  });

  it.each([
    {
      because: 'channels and bundles come in another order',
      more: { channels: catalog({}).channels.toReversed(), bundles: [bundle('b'), bundle('a')] },
    },
    {
      because: 'heavy properties, which resolution does not read, change',
      more: {
        bundles: [
          bundle('a'),
          bundle('b', {
            properties: [...bundle('b').properties, { type: 'olm.csv.metadata', value: { displayName: 'Harbor' } }],
          }),
        ],
      },
    },
  ])('has the same identity when $because', ({ more }) => {
    expect(records(more).map(recordHash)).toEqual(records().map(recordHash));
  });

  it('leaves out entries without bundle', () => {
    expect(entries({ bundles: [bundle('a')] }).map(({ name }) => name)).toEqual(['a']);
  });

  it('names inline manifests by their digest', () => {
    expect(entries({ bundles: [bundle('a', { image: '' })] })[0]?.source).toEqual({ inline: 'sha256:inline' });
  });

  it('keeps the text of a value whose keys are in an order of their own, as stored records sort them', () => {
    const value = { failureMessage: 'needs <tugs>', all: { constraints: [] } };
    const properties = [
      { type: 'olm.package', value: { packageName: 'harbor', version: '1.0.0' } },
      { type: 'x', value },
    ];
    const entry = entries({ bundles: [bundle('a', { properties }), bundle('b')] }).find(({ name }) => name === 'a');
    expect(entry?.properties).toEqual([
      properties[0],
      { type: 'x', value, written: String.raw`{"failureMessage":"needs \u003ctugs\u003e","all":{"constraints":[]}}` },
    ]);
  });

  it('carries deprecation messages to package, channel and bundle', () => {
    const deprecation = (schema: string, message: string, name = '') => ({ reference: { schema, name }, message });
    const deprecations = [
      {
        schema: 'olm.deprecations' as const,
        package: 'harbor',
        entries: [
          deprecation('olm.package', 'gone soon'),
          deprecation('olm.channel', 'use stable', 'fast'),
          deprecation('olm.bundle', 'leaks', 'a'),
        ],
      },
    ];
    expect(records({ deprecations })[0]).toMatchObject({
      deprecation: 'gone soon',
      channelDeprecations: { fast: 'use stable' },
    });
    expect(entries({ deprecations }).map(({ deprecation: message }) => message)).toEqual([
      undefined,
      'leaks',
      undefined,
    ]);
  });
});
