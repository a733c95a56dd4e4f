import { withCsvMetadata } from '../bundle/bundle-blob.js';
import { byCodeUnit } from '../canonical/canonical-json.js';
import type { Catalog, CatalogBundle, Property } from './catalog.js';
import { withSortedKeys } from './sorted-keys.js';

/** Migrations in the order in which opm applies them; each level includes those before it. */
export const MIGRATION_LEVELS = ['none', 'bundle-object-to-csv-metadata'] as const;
export type MigrationLevel = (typeof MIGRATION_LEVELS)[number];

/**
 * A loaded catalog as `opm render` gives it out: values with sorted keys, manifests and CSV metadata behind the other
 * properties, related images by image, migrations applied (spec: file-based-catalogs.md §5). Nothing is validated.
 */
export function renderCatalog(catalog: Catalog, level: MigrationLevel): Catalog {
  return {
    ...catalog,
    packages: catalog.packages.map((blob) => withSortedProperties(blob)),
    channels: catalog.channels.map((blob) => withSortedProperties(blob)),
    bundles: catalog.bundles.map((blob) =>
      renderBundle({ ...blob, properties: blob.properties.map(sortedValue) }, level),
    ),
  };
}

/** A bundle as `opm render` gives it out; the values of properties stay as they are. */
export function renderBundle(bundle: CatalogBundle, level: MigrationLevel): CatalogBundle {
  const relatedImages = bundle.relatedImages.toSorted((a, b) => byCodeUnit(a.image, b.image));
  const properties = bundle.properties.toSorted((a, b) => place(a) - place(b));
  const rendered = { ...bundle, properties, relatedImages };
  return level === 'none' ? rendered : withCsvMetadata(rendered);
}

/** Two catalogs side by side; nothing is merged or checked. */
export const joinCatalogs = (catalogs: readonly Catalog[]): Catalog => ({
  packages: catalogs.flatMap(({ packages }) => packages),
  channels: catalogs.flatMap(({ channels }) => channels),
  bundles: catalogs.flatMap(({ bundles }) => bundles),
  deprecations: catalogs.flatMap(({ deprecations }) => deprecations),
  others: catalogs.flatMap(({ others }) => others),
});

const LAST: readonly string[] = ['olm.bundle.object', 'olm.csv.metadata'];
const place = ({ type }: Property): number => LAST.indexOf(type) + 1;

const sortedValue = ({ type, value }: Property): Property => ({ type, value: withSortedKeys(value) });

const withSortedProperties = <T extends { properties?: readonly Property[] }>(blob: T): T =>
  blob.properties ? { ...blob, properties: blob.properties.map(sortedValue) } : blob;
