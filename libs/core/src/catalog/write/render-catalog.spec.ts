import { expect, it } from 'vitest';
import { loadCatalog } from '../load/load-catalog.js';
import { renderCatalog } from './render-catalog.js';
import { catalogToJson, catalogToYaml } from './write-catalog.js';

const load = (blob: object) => loadCatalog([{ path: 'c.json', bytes: Buffer.from(JSON.stringify(blob)) }]);

const csv = Buffer.from('{"kind":"ClusterServiceVersion","metadata":{"name":"lamp.v1"}}').toString('base64');
const pack = { type: 'olm.package', value: { packageName: 'lamp', version: '1.0.0' } };
const object = { type: 'olm.bundle.object', value: { data: csv } };
const metadata = { type: 'olm.csv.metadata', value: { displayName: 'Lamp' } };
const types = (properties: readonly object[], level: 'none' | 'bundle-object-to-csv-metadata') => {
  const image = 'registry.example/lamp:1';
  const catalog = load({ schema: 'olm.bundle', package: 'lamp', name: 'lamp.v1', image, properties });
  return renderCatalog(catalog, level).bundles[0]?.properties.map(({ type }) => type);
};

// alpha/action/render.go of operator-registry moves both kinds to the end in one list, and migrates only
// bundles without olm.csv.metadata.
it.each(['none', 'bundle-object-to-csv-metadata'] as const)(
  'keeps the order of manifests and CSV metadata at the end of the properties, migration level %s',
  (level) => {
    expect(types([metadata, object, pack], level)).toEqual(['olm.package', 'olm.csv.metadata', 'olm.bundle.object']);
    expect(types([object, pack, metadata], level)).toEqual(['olm.package', 'olm.bundle.object', 'olm.csv.metadata']);
  },
);

it('replaces manifests by CSV metadata at the end', () => {
  expect(types([object, pack], 'bundle-object-to-csv-metadata')).toEqual(['olm.package', 'olm.csv.metadata']);
});

it.each([
  { entries: undefined, json: null },
  { entries: null, json: null },
  { entries: [], json: [] },
])('writes the entries $entries of a deprecation as $json', ({ entries, json }) => {
  const catalog = load({ schema: 'olm.deprecations', package: 'lamp', entries });
  expect(JSON.parse(catalogToJson(catalog)).entries).toEqual(json);
  expect(catalogToYaml(catalog)).toContain(`entries: ${JSON.stringify(json)}\n`);
});
