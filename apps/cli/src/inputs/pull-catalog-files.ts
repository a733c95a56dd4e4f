import { pullCatalogTo } from '#platform/registry/catalog-image';
import { RegistryError } from '#platform/registry/client/registry-client.port';
import { OciLayoutClient } from '#platform/registry/oci-layout';
import { UsageError } from '../terminal/io.js';
import { LAYOUT_PREFIX } from './layout-prefix.js';
import { commandRegistryClient, logins } from './registry-access.js';

/** Another image than a catalog, and another host than a registry, is the user's mistake; one away is not. */
const MISTAKES: readonly string[] = ['InvalidReference', 'Malformed', 'NotARegistry'];

/**
 * Unpacks the catalog of an image, from an OCI layout (`oci:DIR[:TAG]`) or a registry, into a directory. A
 * layout is a directory of the user: whatever is wrong with it is a UsageError.
 */
export async function pullCatalogFiles(reference: string, directory: string): Promise<void> {
  const isLayout = reference.startsWith(LAYOUT_PREFIX);
  try {
    if (isLayout) await pullCatalogTo(new OciLayoutClient(), reference, directory);
    else {
      const credentials = await logins(reference);
      await pullCatalogTo(await commandRegistryClient(), reference, directory, { credentials });
    }
  } catch (error) {
    const isUsage = error instanceof RegistryError && (isLayout || MISTAKES.includes(error.failure));
    if (isUsage) throw new UsageError(error.message);
    throw error;
  }
}
