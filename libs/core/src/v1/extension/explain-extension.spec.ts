import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../../catalog/load/load-catalog.js';
import type { CatalogQuery, ExtensionCatalog } from './catalog-query.js';
import { explainExtension, explanationLines } from './explain-extension.js';
import { packageIndex } from './package-content.js';
import { resolveExtension } from './resolve-extension.js';

const bundle = (version: string) => ({
  schema: 'olm.bundle',
  package: 'lamp',
  name: `lamp.v${version}`,
  image: `registry.example/lamp:${version}`,
  properties: [{ type: 'olm.package', value: { packageName: 'lamp', version } }],
});
const channel = (name: string, entries: object[]) => ({ schema: 'olm.channel', package: 'lamp', name, entries });
const LAMP = [
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
  channel('stable', [
    { name: 'lamp.v1.0.0' },
    { name: 'lamp.v1.1.0', replaces: 'lamp.v1.0.0' },
    { name: 'lamp.v1.2.0', replaces: 'lamp.v1.1.0' },
    { name: 'lamp.v2.0.0', skips: ['lamp.v1.0.0', 'lamp.v1.1.0'] },
  ]),
  channel('fast', [{ name: 'lamp.v1.3.0', replaces: 'lamp.v1.0.0' }]),
  ...['1.0.0', '1.1.0', '1.2.0', '1.3.0', '2.0.0'].map(bundle),
];
const catalog = (name: string, blobs: readonly object[] = LAMP, more: Partial<ExtensionCatalog> = {}) => {
  const text = blobs.map((blob) => JSON.stringify(blob)).join('\n');
  const content = packageIndex(loadCatalog([{ path: 'c.json', bytes: Buffer.from(text) }]), {});
  return { name, labels: { name }, priority: 0, availabilityMode: 'Available', content, ...more };
};
const deprecated = (version: string) => ({
  schema: 'olm.deprecations',
  package: 'lamp',
  entries: [{ reference: { schema: 'olm.bundle', name: `lamp.v${version}` }, message: 'do not use' }],
});

function explained(query: Partial<CatalogQuery>, version?: string, catalogs = [catalog('shelf')]) {
  const installed = version === undefined ? undefined : { name: `lamp.v${version}`, version };
  const input = { query: { packageName: 'lamp', ...query }, installed, catalogs, majorUpdates: 'manual' as const };
  const explanation = explainExtension(input, resolveExtension(input));
  return [explanation.state, ...explanationLines(explanation)];
}

describe('why a ClusterExtension gets its bundle and no other', () => {
  it.each([
    { because: 'the newest', query: {}, installed: undefined, says: ['installs', 'It is the highest version.'] },
    {
      because: 'a channel and a range',
      query: { channels: ['stable'], version: '1.x' },
      installed: undefined,
      says: [
        'installs',
        'It is the highest version in channel stable, among those that version "1.x" allows.',
        'Not lamp.v2.0.0 2.0.0 of catalog shelf: version "1.x" excludes it.',
        'Not lamp.v1.3.0 1.3.0 of catalog shelf: it is not in channel stable.',
      ],
    },
    {
      because: 'edges and a major version',
      query: { channels: ['stable'] },
      installed: '1.0.0',
      says: [
        'upgrades',
        'It is the highest version in channel stable that is installed or one upgrade away.',
        'Not lamp.v2.0.0 2.0.0 of catalog shelf: it is of another major version than 1.0.0: set spec.source.catalog.version to it.',
        'Not lamp.v1.3.0 1.3.0 of catalog shelf: it is not in channel stable.',
        'Not lamp.v1.2.0 1.2.0 of catalog shelf: the catalog has no upgrade to it from 1.0.0: upgrade in steps, or set upgradeConstraintPolicy to SelfCertified.',
      ],
    },
    {
      because: 'no such version',
      query: { version: '1.2.0' },
      installed: '1.0.0',
      says: [
        'cannot-be-met',
        'error upgrading from currently installed version "1.0.0": no bundles found for package "lamp" matching version "1.2.0"',
        'Not lamp.v2.0.0 2.0.0 of catalog shelf: version "1.2.0" excludes it.',
        'Not lamp.v1.3.0 1.3.0 of catalog shelf: version "1.2.0" excludes it.',
        'Not lamp.v1.2.0 1.2.0 of catalog shelf: the catalog has no upgrade to it from 1.0.0: upgrade in steps, or set upgradeConstraintPolicy to SelfCertified.',
        'Not lamp.v1.1.0 1.1.0 of catalog shelf: version "1.2.0" excludes it.',
      ],
    },
  ])('$because', ({ query, installed, says }) => {
    expect(explained(query, installed)).toEqual(says);
  });

  it('a deprecated bundle gives way', () => {
    const says = explained({}, '1.1.0', [catalog('shelf', [...LAMP, deprecated('1.2.0')])]);
    expect(says).toContain('Not lamp.v1.2.0 1.2.0 of catalog shelf: it is deprecated, and another one is not.');
    expect(says[0]).toBe('settled');
  });

  it('catalogs that had no say are named with the reason', () => {
    const others = [
      catalog('other'),
      catalog('away', LAMP, { availabilityMode: 'Unavailable', labels: { name: 'shelf' } }),
      catalog('empty', [{ schema: 'olm.package', name: 'torch', defaultChannel: 'a' }], { labels: { name: 'shelf' } }),
    ];
    expect(
      explained({ selector: { matchLabels: { name: 'shelf' } } }, undefined, [catalog('shelf'), ...others]),
    ).toEqual([
      'installs',
      'It is the highest version.',
      '3 catalogs were skipped: other (spec.source.catalog.selector does not select it); ' +
        'away (its availabilityMode is Unavailable); empty (it has no package lamp).',
    ]);
  });

  it('many catalogs without the package take one line', () => {
    const torch = [{ schema: 'olm.package', name: 'torch', defaultChannel: 'a' }];
    const others = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => catalog(name, torch));
    expect(explained({}, undefined, [catalog('shelf'), ...others]).at(-1)).toBe(
      '7 catalogs were skipped: a, b, c, d, e and 2 more (it has no package lamp).',
    );
    expect(explained({}, undefined, [catalog('shelf'), ...others.slice(0, 1)]).at(-1)).toBe(
      'Catalog a was skipped: it has no package lamp.',
    );
  });

  it.each([
    { versions: 6, last: 'Nor one other.' },
    { versions: 7, last: 'Nor 2 others.' },
  ])('of $versions bundles that are not chosen, the first five are named', ({ versions, last }) => {
    const newer = Array.from({ length: versions }, (_, minor) => `3.${minor}.0`);
    const blobs = [
      ...LAMP,
      ...newer.map(bundle),
      channel(
        'next',
        newer.map((version) => ({ name: `lamp.v${version}` })),
      ),
    ];
    const says = explained({ version: '2.0.0' }, undefined, [catalog('shelf', blobs)]);
    expect(says.slice(2)).toHaveLength(6);
    expect(says.at(-1)).toBe(last);
  });

  it('two catalogs of one priority', () => {
    const says = explained({}, '1.0.0', [catalog('a'), catalog('b')]);
    expect(says).toContain(
      'Not lamp.v1.3.0 1.3.0 of catalog a: several catalogs of the same priority have it: give one a higher priority.',
    );
  });
});
