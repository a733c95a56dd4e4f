import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { withSortedKeys } from '../../kernel/json/sorted-keys.js';
import { withCsvMetadata } from '../bundle/bundle-blob.js';
import { CatalogCollector } from '../load/load-catalog.js';
import type { Catalog, CatalogBundle, Property } from '../model/catalog.js';
import { blobsOf } from '../read/blob-consumer.js';
import type { DecodedBlob } from '../read/decode-blob.js';

/** Migrations in the order of opm. Each level includes those before it. */
export const MIGRATION_LEVELS = ['none', 'bundle-object-to-csv-metadata'] as const;
export type MigrationLevel = (typeof MIGRATION_LEVELS)[number];

/**
 * Renders a loaded catalog as `opm render` does: values with sorted keys, manifests and CSV metadata behind
 * the other properties, related images by image, migrations applied (spec: file-based-catalogs.md §5).
 * Nothing is validated.
 */
export function renderCatalog(catalog: Catalog, level: MigrationLevel): Catalog {
  const collector = new CatalogCollector();
  for (const blob of blobsOf(catalog)) collector.take(renderBlob(blob, level));
  return collector.catalog;
}

/** Renders one blob of {@link renderCatalog}. */
export function renderBlob(decoded: DecodedBlob, level: MigrationLevel): DecodedBlob {
  switch (decoded.kind) {
    case 'package':
      return { kind: 'package', blob: withSortedProperties(decoded.blob) };
    case 'channel':
      return { kind: 'channel', blob: withSortedProperties(decoded.blob) };
    case 'bundle': {
      const properties = decoded.blob.properties.map(sortedValue);
      return { kind: 'bundle', blob: renderBundle({ ...decoded.blob, properties }, level) };
    }
    default:
      return decoded;
  }
}

/** Renders a bundle as `opm render` does; the values of properties stay as they are. */
export function renderBundle(bundle: CatalogBundle, level: MigrationLevel): CatalogBundle {
  const relatedImages = bundle.relatedImages.toSorted((a, b) => byCodeUnit(a.image, b.image));
  const properties = bundle.properties.toSorted((a, b) => place(a) - place(b));
  const rendered = { ...bundle, properties, relatedImages };
  return level === 'none' ? rendered : withCsvMetadata(rendered);
}

/** Moved behind the other properties; among themselves they keep the order of the catalog. */
const LAST: readonly string[] = ['olm.bundle.object', 'olm.csv.metadata'];
const place = ({ type }: Property): number => Number(LAST.includes(type));

const sortedValue = ({ type, value }: Property): Property => ({ type, value: withSortedKeys(value) });

const withSortedProperties = <T extends { properties?: readonly Property[] }>(blob: T): T =>
  blob.properties ? { ...blob, properties: blob.properties.map(sortedValue) } : blob;
