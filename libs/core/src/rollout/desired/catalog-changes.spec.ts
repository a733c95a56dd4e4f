import { expect, it } from 'vitest';
import { CATALOG_SOURCE_API, type CatalogSource } from '../../kernel/api/catalog-source.js';
import { hasOtherFields } from './catalog-changes.js';
import { withAppliedNote } from './drift.js';

const source = (spec: object): CatalogSource => ({
  ...CATALOG_SOURCE_API,
  metadata: { name: 'c', namespace: 'olm' },
  spec: { sourceType: 'grpc', image: 'example.com/c@sha256:1', ...spec },
});
const applied = (spec: object, live: object = spec): CatalogSource => ({
  ...withAppliedNote(source(spec)),
  spec: source(live).spec,
});

it.each([
  { what: 'the same', live: applied({ priority: 1 }), wanted: { priority: 1 }, isOther: false },
  { what: 'another content', live: applied({}), wanted: { image: 'example.com/c@sha256:2' }, isOther: false },
  { what: 'another priority', live: applied({ priority: 1 }), wanted: { priority: 2 }, isOther: true },
  { what: 'a field that is asked for no more', live: applied({ displayName: 'C' }), wanted: {}, isOther: true },
  { what: 'drift', live: applied({ priority: 1 }, { priority: 9 }), wanted: { priority: 1 }, isOther: false },
  { what: 'what users made', live: source({ priority: 3, publisher: 'x' }), wanted: { priority: 3 }, isOther: false },
  { what: 'what users made otherwise', live: source({}), wanted: { priority: 3 }, isOther: true },
])('a CatalogSource with $what: $isOther', ({ live, wanted, isOther }) => {
  expect(hasOtherFields(live, source(wanted))).toBe(isOther);
});

it('a note that is not the fleet’s counts for nothing', () => {
  const live = applied({ priority: 1 }, { priority: 2 });
  expect(hasOtherFields(live, source({ priority: 2 }), true)).toBe(false);
  expect(hasOtherFields(live, source({ priority: 2 }))).toBe(true);
});
