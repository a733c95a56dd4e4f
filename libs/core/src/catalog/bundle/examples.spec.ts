import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../load/load-catalog.js';
import type { BundleFile } from '../model/bundle-file.js';
import { catalogBundleOf, withCsvMetadata } from './bundle-blob.js';
import { readBundle } from './read-bundle.js';

const EXAMPLES = join(import.meta.dirname, '../../../../../examples');

const filesBelow = (root: string): BundleFile[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path), bytes: readFileSync(path) }));

const packages = readdirSync(join(EXAMPLES, 'bundles'));
const versions = packages.flatMap((name) =>
  readdirSync(join(EXAMPLES, 'bundles', name)).map((version) => ({ name, version })),
);

describe('examples', () => {
  it('are two operators in three versions', () => {
    expect(packages).toEqual(['harbor-operator', 'lighthouse-operator']);
    expect(versions).toHaveLength(6);
  });

  it.each(versions)('$name $version reads without a warning and is what the catalog says', ({ name, version }) => {
    const bundle = readBundle(filesBelow(join(EXAMPLES, 'bundles', name, version)));
    expect(bundle.warnings).toEqual([]);
    expect(bundle.objects.map(({ kind }) => kind).sort()).toEqual([
      'ClusterServiceVersion',
      'CustomResourceDefinition',
      'Service',
    ]);
    const image = `registry.example/flotilla-samples/${name}-bundle:${version}`;
    const blob = withCsvMetadata(catalogBundleOf(bundle, image));
    const catalog = loadCatalog(filesBelow(join(EXAMPLES, 'catalogs/v2')));
    expect(catalog.bundles.find((one) => one.image === image)).toEqual(blob);
  });

  it.each(readdirSync(join(EXAMPLES, 'crd-versions/bundles')))(
    'pier-operator %s is what its catalog says',
    (version) => {
      const bundle = readBundle(filesBelow(join(EXAMPLES, 'crd-versions/bundles', version)));
      expect(bundle.warnings).toEqual([]);
      const image = `registry.example/flotilla-samples/pier-operator-bundle:${version}`;
      const catalog = loadCatalog(filesBelow(join(EXAMPLES, 'crd-versions/catalog')));
      expect(catalog.bundles.find((one) => one.image === image)).toEqual(
        withCsvMetadata(catalogBundleOf(bundle, image)),
      );
    },
  );

  it('catalog v1 knows only the first version of both', () => {
    const catalog = loadCatalog(filesBelow(join(EXAMPLES, 'catalogs/v1')));
    expect(catalog.bundles.map((bundle) => bundle.name)).toEqual([
      'harbor-operator.v1.0.0',
      'lighthouse-operator.v1.0.0',
    ]);
  });
});
