import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validCatalog } from '../graph/random-catalog.fixture.js';
import type { Catalog } from '../model/catalog.js';
import { catalogDiff } from './catalog-diff.js';

/** The same catalog with its blobs and entries the other way round. */
const turnedRound = (catalog: Catalog): Catalog => ({
  ...catalog,
  channels: catalog.channels
    .map((channel) => ({ ...channel, entries: (channel.entries ?? []).toReversed() }))
    .toReversed(),
  bundles: catalog.bundles.toReversed(),
});

describe('catalogDiff of random catalogs', () => {
  it('is empty between a catalog and itself, in whatever order it is written', () => {
    fc.assert(
      fc.property(validCatalog, (catalog) => {
        expect(catalogDiff(catalog, catalog)).toEqual({ changes: [], broken: [], notes: [] });
        expect(catalogDiff(catalog, turnedRound(catalog))).toEqual({ changes: [], broken: [], notes: [] });
      }),
      { numRuns: 75 },
    );
  });

  it('reports the way back as it reports the way there', () => {
    fc.assert(
      fc.property(validCatalog, validCatalog, (a, b) => {
        const there = catalogDiff(a, b).changes;
        const back = catalogDiff(b, a).changes;
        expect(back.map(({ what }) => what).sort()).toEqual(there.map(({ what }) => what).sort());
        expect(back.filter(({ change }) => change === 'added')).toHaveLength(
          there.filter(({ change }) => change === 'removed').length,
        );
      }),
      { numRuns: 50 },
    );
  });
});
