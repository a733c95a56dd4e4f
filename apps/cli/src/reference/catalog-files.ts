import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { CatalogFile } from '#core/catalog/catalog-file';
import { openCatalogFile, openCatalogTree } from '#platform/files/catalog-tree';
import { pullCatalogTo } from '#platform/registry/catalog-image';
import { OciLayoutClient } from '#platform/registry/oci-layout';
import { RegistryError } from '#platform/registry/registry-client.port';
import { UsageError } from '../io.js';
import { LAYOUT_PREFIX } from './layout-prefix.js';
import { asUsageError } from './load-reference.js';
import { commandRegistryClient, logins } from './registry-access.js';

/**
 * Hands the files of a catalog directory, a catalog file or a catalog image to `use`, as streams; an image is unpacked into a
 * folder that is gone afterwards. Input that cannot be read is a {@link UsageError}.
 */
export async function withCatalogFiles<T>(
  reference: string,
  use: (files: readonly CatalogFile[]) => Promise<T>,
): Promise<T> {
  const found = reference.startsWith(LAYOUT_PREFIX) ? undefined : await stat(reference).catch(() => undefined);
  if (found?.isDirectory()) return asUsageError(reference, async () => use(await openCatalogTree(reference)));
  if (found !== undefined) return asUsageError(reference, () => use([openCatalogFile(basename(reference), reference)]));
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-catalog-'));
  try {
    const directory = join(folder, 'files');
    await pull(reference, directory);
    return await asUsageError(reference, async () => use(await openCatalogTree(directory)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A layout is a directory of the person: whatever is wrong with it is theirs to mend. */
async function pull(reference: string, directory: string): Promise<void> {
  const isLayout = reference.startsWith(LAYOUT_PREFIX);
  try {
    if (isLayout) await pullCatalogTo(new OciLayoutClient(), reference, directory);
    else {
      const credentials = await logins(reference);
      await pullCatalogTo(await commandRegistryClient(), reference, directory, { credentials });
    }
  } catch (error) {
    const isUsage = error instanceof RegistryError && (isLayout || error.failure === 'InvalidReference');
    if (isUsage) throw new UsageError(error.message);
    throw error;
  }
}
