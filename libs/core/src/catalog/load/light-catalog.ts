import { recordAt, textAt } from '../../kernel/json/json-access.js';
import type { Catalog, CatalogBundle, Property } from '../model/catalog.js';
import { type BlobConsumer, detached } from '../read/blob-consumer.js';
import type { DecodedBlob } from '../read/decode-blob.js';
import { CatalogCollector } from './load-catalog.js';

/**
 * Keeps a catalog without its large parts: icons, descriptions, manifests, blobs of other schemas.
 * Of a CSV, and of CSV metadata, only the display name is kept. Used by commands that list
 * packages, channels and bundles.
 */
export class LightCatalogCollector implements BlobConsumer {
  readonly #collector = new CatalogCollector();

  get catalog(): Catalog {
    return this.#collector.catalog;
  }

  take(decoded: DecodedBlob): void {
    const light = lightened(decoded);
    if (light !== undefined) this.#collector.take(detached(light));
  }
}

function lightened(decoded: DecodedBlob): DecodedBlob | undefined {
  switch (decoded.kind) {
    case 'package': {
      const { schema, name, defaultChannel } = decoded.blob;
      return { kind: 'package', blob: { schema, name, defaultChannel } };
    }
    case 'bundle':
      return { kind: 'bundle', blob: lightBundle(decoded.blob) };
    case 'other':
      return undefined;
    default:
      return decoded;
  }
}

const METADATA = 'olm.csv.metadata';
const HEAVY = new Set(['olm.bundle.object', METADATA]);

function lightBundle(bundle: CatalogBundle): CatalogBundle {
  const light = bundle.properties.filter(({ type }) => !HEAVY.has(type));
  const metadata = bundle.properties.filter(({ type }) => type === METADATA).map(lightMetadata);
  const objects = bundle.objects.filter(isCsv).map(lightCsv);
  return { ...bundle, properties: [...light, ...metadata], relatedImages: [], objects };
}

const isCsv = (object: CatalogBundle['objects'][number]): boolean => object['kind'] === 'ClusterServiceVersion';

const lightCsv = (csv: CatalogBundle['objects'][number]): CatalogBundle['objects'][number] => ({
  kind: csv['kind'],
  spec: { displayName: textAt(csv, 'spec', 'displayName') },
});

const lightMetadata = ({ value }: Property): Property => ({
  type: METADATA,
  value: { displayName: textAt(recordAt(value), 'displayName') },
});

/**
 * Returns the display name of the CSV that the catalog carries, as opm shows it. Empty if the catalog does
 * not carry it (spec: file-based-catalogs.md §7).
 */
export function csvDisplayName({ objects }: CatalogBundle): string {
  const csv = objects.find(isCsv);
  return csv === undefined ? '' : textAt(csv, 'spec', 'displayName');
}

/**
 * Returns the display name from the CSV if the catalog carries it, otherwise from the metadata taken out of
 * it. Empty if neither has one.
 */
export function displayName(bundle: CatalogBundle): string {
  if (bundle.objects.some(isCsv)) return csvDisplayName(bundle);
  const metadata = bundle.properties.find(({ type }) => type === METADATA)?.value;
  return textAt(recordAt(metadata), 'displayName');
}
