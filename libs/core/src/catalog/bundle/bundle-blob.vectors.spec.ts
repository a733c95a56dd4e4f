import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needing, PUBLIC_DATA, publicData } from '#testing/report/needs';
import { indentedJson } from '../../kernel/json/go-json-text.js';
import { textAt } from '../../kernel/json/json-access.js';
import { loadCatalog } from '../load/load-catalog.js';
import { catalogToJson } from '../write/write-catalog.js';
import { catalogBundleOf, withCsvMetadata } from './bundle-blob.js';
import { readBundle } from './read-bundle.js';

// What the real opm rendered of real bundles.
const ROOT = join(import.meta.dirname, '../../../../..');
const VECTORS = join(ROOT, 'test/vectors/fbc/real-bundles');
const BUNDLES = join(PUBLIC_DATA, 'data/bundles');

const filesOf = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(directory, path), bytes: readFileSync(path) }));

describe('the sample bundles come out as the sample catalogs have them', () => {
  const samples = ['harbor-operator', 'lighthouse-operator'].flatMap((name) =>
    ['v1.0.0', 'v1.1.0', 'v1.2.0'].map((version) => ({ name, version })),
  );
  it.each(samples)('$name $version', ({ name, version }) => {
    const catalog = loadCatalog(filesOf(join(ROOT, 'examples/catalogs/v2', name)));
    const want = catalog.bundles.find((bundle) => bundle.name === `${name}.${version}`);
    const bundle = readBundle(filesOf(join(ROOT, 'examples/bundles', name, version)));
    const blob = withCsvMetadata(catalogBundleOf(bundle, want?.image ?? ''));
    expect(blob.properties).toEqual(want?.properties);
  });
});

describe('real bundles come out as opm renders them', needing(publicData('data/bundles')), () => {
  it.each(readdirSync(VECTORS))('%s', (vector) => {
    const plain = vector.endsWith('.plain.json');
    const [, name = '', version = ''] = /^(.+)-(\d[^-]*?)(?:\.plain)?\.json$/.exec(vector) ?? [];
    const bundle = readBundle(filesOf(join(BUNDLES, name, version)));
    const image = `registry.example.test/${name}-bundle:v${textAt(bundle.csv, 'spec', 'version')}`;
    const blob = plain ? catalogBundleOf(bundle, '') : withCsvMetadata(catalogBundleOf(bundle, image));
    const written: unknown = JSON.parse(
      catalogToJson({ packages: [], channels: [], bundles: [blob], deprecations: [], others: [] }),
    );
    const want: unknown = JSON.parse(readFileSync(join(VECTORS, vector), 'utf8'));
    // Order of keys included; how a character is escaped inside a text is not.
    expect(indentedJson(written)).toBe(indentedJson(want));
  });
});
