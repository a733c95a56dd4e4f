import { recordAt, textAt } from '../bundle/json-access.js';
import { type BlobConsumer, detached } from './blob-consumer.js';
import type { Catalog, CatalogBundle } from './catalog.js';
import type { DecodedBlob } from './decode-blob.js';
import { CatalogCollector } from './load-catalog.js';

/**
 * Keeps a catalog without what makes it large: icons, descriptions, manifests, blobs of other schemas. Of the metadata of
 * a CSV the display name stays, as an `olm.csv.metadata` property. For whoever shows packages, channels and bundles.
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

const HEAVY = new Set(['olm.bundle.object', 'olm.csv.metadata']);

function lightBundle(bundle: CatalogBundle): CatalogBundle {
  const light = bundle.properties.filter(({ type }) => !HEAVY.has(type));
  const metadata = { type: 'olm.csv.metadata', value: { displayName: displayName(bundle) } };
  return { ...bundle, properties: [...light, metadata], relatedImages: [], objects: [] };
}

/** From the CSV where the catalog carries it, else from the metadata taken out of it; empty where it says none. */
export function displayName({ objects, properties }: CatalogBundle): string {
  const csv = objects.find((object) => object['kind'] === 'ClusterServiceVersion');
  if (csv) return textAt(csv, 'spec', 'displayName');
  const metadata = properties.find(({ type }) => type === 'olm.csv.metadata')?.value;
  return textAt(recordAt(metadata), 'displayName');
}
