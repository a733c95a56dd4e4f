import { readBundle } from '#core/bundle/read-bundle';
import { loadCatalog } from '#core/catalog/load-catalog';
import { BundleLabel, pullBundle } from '#platform/registry/bundle-image';
import { CATALOG_LABEL, pullCatalog } from '#platform/registry/catalog-image';
import { CachedRegistryClient } from '#platform/registry/http-registry-client';
import { MemoryContentStore } from '#platform/store/memory-content-store';
import { UsageError } from '../io.js';
import type { LoadedReference } from './load-reference.js';

const SQLITE_LABEL = 'operators.operatorframework.io.index.database.v1';

/** A catalog or bundle image from a registry; its labels say which. */
export async function loadFromRegistry(reference: string): Promise<LoadedReference> {
  const client = new CachedRegistryClient(new MemoryContentStore());
  const { labels } = await client.pull(reference, () => false);
  if (CATALOG_LABEL in labels) {
    const { files } = await pullCatalog(client, reference);
    return { kind: 'catalog', catalog: loadCatalog(files) };
  }
  if (BundleLabel.package in labels) {
    const { files } = await pullBundle(client, reference);
    return { kind: 'bundle', bundle: readBundle(files), image: reference };
  }
  if (SQLITE_LABEL in labels) {
    throw new UsageError(
      `render "${reference}": sqlite-based index images are no longer supported, migrate to a file-based catalog: not allowed`,
    );
  }
  const found = Object.keys(labels).sort();
  const seen = found.length === 0 ? 'image has no labels' : `found labels ${found.join(', ')}`;
  throw new UsageError(
    `render "${reference}": image type could not be determined, ${seen}: a catalog has ${CATALOG_LABEL}, a bundle ${BundleLabel.package}`,
  );
}
