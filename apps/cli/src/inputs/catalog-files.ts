import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogFile } from '#core/catalog/read/catalog-file';
import { openCatalogFile, openCatalogTree } from '#platform/files/catalog-tree';
import { orAbsentPath, referencePlace } from './reference-place.js';
import { asUsageError } from './unreadable-input.js';

/**
 * Hands the files of a catalog directory, a catalog file or a catalog image to `use`, as streams; an image is
 * unpacked into a folder that is gone afterwards. Input that cannot be read is a {@link UsageError}.
 */
export async function withCatalogFiles<T>(
  reference: string,
  use: (files: readonly CatalogFile[]) => Promise<T>,
): Promise<T> {
  const place = await asUsageError(reference, () => referencePlace(reference));
  if (place === 'directory') return asUsageError(reference, async () => use(await openCatalogTree(reference)));
  if (place === 'file') return asUsageError(reference, () => use([openCatalogFile(reference, reference)]));
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-catalog-'));
  try {
    const directory = join(folder, 'files');
    const { pullCatalogFiles } = await import('./pull-catalog-files.js');
    await orAbsentPath(reference, () => pullCatalogFiles(reference, directory));
    return await asUsageError(reference, async () => use(await openCatalogTree(directory)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
