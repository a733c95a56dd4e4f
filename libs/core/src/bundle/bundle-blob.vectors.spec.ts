import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { indentedJson } from '../catalog/write/go-json-text.js';
import { orderedBlobs } from '../catalog/write/write-catalog.js';
import { catalogBundleOf, withCsvMetadata } from './bundle-blob.js';
import { textAt } from './json-access.js';
import { readBundle } from './read-bundle.js';

// What the real opm rendered of real bundles.
const ROOT = join(import.meta.dirname, '../../../..');
const VECTORS = join(ROOT, 'test/vectors/fbc/real-bundles');
const BUNDLES = join(ROOT, '../shared/data/bundles');
const bundlesAreHere = statSync(BUNDLES, { throwIfNoEntry: false })?.isDirectory() ?? false;
if (!bundlesAreHere) console.warn('the real bundles are not beside the repository: their rendering was not compared');

const filesOf = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(directory, path), bytes: readFileSync(path) }));

describe.runIf(bundlesAreHere)('real bundles come out as opm renders them', () => {
  it.each(readdirSync(VECTORS))('%s', (vector) => {
    const plain = vector.endsWith('.plain.json');
    const [, name = '', version = ''] = /^(.+)-(\d[^-]*?)(?:\.plain)?\.json$/.exec(vector) ?? [];
    const bundle = readBundle(filesOf(join(BUNDLES, name, version)));
    const image = `registry.example.test/${name}-bundle:v${textAt(bundle.csv, 'spec', 'version')}`;
    const blob = plain ? catalogBundleOf(bundle, '') : withCsvMetadata(catalogBundleOf(bundle, image));
    const [written] = orderedBlobs({ packages: [], channels: [], bundles: [blob], deprecations: [], others: [] });
    const want: unknown = JSON.parse(readFileSync(join(VECTORS, vector), 'utf8'));
    // Order of keys included; how a character is escaped inside a text is not.
    expect(indentedJson(written)).toBe(indentedJson(want));
  });
});
