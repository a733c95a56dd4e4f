import fc from 'fast-check';
import type { Catalog, ChannelEntry } from '../model/catalog.js';
import { validateCatalog } from '../validate/validate-catalog.js';
import { sampleCatalog } from './sample-catalog.fixture.js';

const name = (number: number): string => `ant.v1.${number}.0`;

/** Entries with replaces, skips and ranges that mostly lead upwards, as in catalogs that people write. */
const entries: fc.Arbitrary<ChannelEntry[]> = fc
  .array(
    fc.record({
      number: fc.nat(9),
      below: fc.option(fc.nat(9), { freq: 5 }),
      skips: fc.array(fc.nat(9), { maxLength: 3 }),
      floor: fc.option(fc.nat(9), { freq: 2, nil: undefined }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((drawn) => {
    const sorted = [...new Map(drawn.map((one) => [one.number, one])).values()].sort((a, b) => a.number - b.number);
    return sorted.map(({ number, below, skips, floor }, index) => {
      const before = sorted[index - 1]?.number;
      const replaces = below === null ? undefined : (before ?? below);
      return {
        name: name(number),
        ...(replaces === undefined || replaces === number ? {} : { replaces: name(replaces) }),
        ...(skips.length === 0 ? {} : { skips: skips.filter((one) => one !== number).map(name) }),
        ...(floor === undefined ? {} : { skipRange: `>=1.${floor}.0 <1.${number}.0` }),
      };
    });
  });

/** Catalogs of one package with up to three channels; not all are valid. */
export const anyCatalog: fc.Arbitrary<Catalog> = fc
  .tuple(entries, fc.option(entries), fc.option(entries))
  .map(([stable, fast, alpha]) => sampleCatalog({ stable, ...(fast ? { fast } : {}), ...(alpha ? { alpha } : {}) }));

/** Only those that opm accepts. */
export const validCatalog: fc.Arbitrary<Catalog> = anyCatalog.filter(
  (catalog) => validateCatalog(catalog).length === 0,
);
