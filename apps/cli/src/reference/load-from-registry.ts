import { readBundle } from '#core/bundle/read-bundle';
import { loadCatalog } from '#core/catalog/load-catalog';
import { BundleLabel, pullBundle } from '#platform/registry/bundle-image';
import { CATALOG_LABEL, pullCatalog } from '#platform/registry/catalog-image';
import { OciLayoutClient } from '#platform/registry/oci-layout';
import { type PullOptions, type RegistryClient, RegistryError } from '#platform/registry/registry-client.port';
import { MemoryContentStore } from '#platform/store/memory-content-store';
import { UsageError } from '../io.js';
import { LAYOUT_PREFIX } from './layout-prefix.js';
import type { LoadedReference } from './loaded-reference.js';
import { commandRegistryClient, logins } from './registry-access.js';

const SQLITE_LABEL = 'operators.operatorframework.io.index.database.v1';

/** A catalog or bundle image, from an OCI layout (`oci:DIR[:TAG]`) or with this machine's logins from a registry; its labels say which. */
export async function loadFromRegistry(reference: string): Promise<LoadedReference> {
  if (!reference.startsWith(LAYOUT_PREFIX)) {
    const client = await commandRegistryClient(new MemoryContentStore());
    return load(client, reference, { credentials: await logins(reference) }).catch(asUsage(['InvalidReference']));
  }
  // A layout is a directory of the person: whatever is wrong with it is theirs to mend.
  return load(new OciLayoutClient(), reference, {}).catch(asUsage(undefined));
}

async function load(client: RegistryClient, reference: string, options: PullOptions): Promise<LoadedReference> {
  const { labels } = await client.pull(reference, () => false, options);
  if (CATALOG_LABEL in labels) {
    const { files } = await pullCatalog(client, reference, options);
    return { kind: 'catalog', catalog: loadCatalog(files) };
  }
  if (BundleLabel.package in labels) {
    const { files } = await pullBundle(client, reference, options);
    return { kind: 'bundle', bundle: readBundle(files), image: imageOf(reference) };
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

/** No cluster can pull from a directory of this machine: as for a bundle directory, nobody knows yet where it will be. */
const imageOf = (reference: string): string => (reference.startsWith(LAYOUT_PREFIX) ? '' : reference);

const asUsage =
  (failures: readonly string[] | undefined) =>
  (error: unknown): never => {
    if (error instanceof RegistryError && (failures?.includes(error.failure) ?? true))
      throw new UsageError(error.message);
    throw error;
  };
