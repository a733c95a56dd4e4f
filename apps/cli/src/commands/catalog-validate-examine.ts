import { decodeCatalogBlob } from '#core/catalog/read/decode-blob';
import { readBlobs } from '#core/catalog/read/read-blobs';
import { type PlacedWarning, StrictValidator } from '#core/catalog/strict/strict-validator';
import type { CatalogProblem } from '#core/catalog/validate/catalog-problem';
import { CatalogValidator } from '#core/catalog/validate/validate-catalog';
import { openCatalogTree } from '#platform/files/catalog-tree';
import { asUsageError } from '../reference/load-reference.js';
import { type ImageFailure, imageFailures, NamedImages } from './catalog-validate-images.js';

/** What is looked for beside opm's own rules. */
export type ExaminationOptions = Readonly<{ strict?: boolean; checkImages?: boolean }>;

/** All that was found; the lists of what was not asked for are empty. */
export type Examination = Readonly<{
  problems: readonly CatalogProblem[];
  warnings: readonly PlacedWarning[];
  images: readonly ImageFailure[];
}>;

/**
 * Examines a catalog directory, one blob at a time. What makes it unreadable is given to `unreadable` in opm's words before
 * it is thrown as a usage error.
 */
export async function examine(
  directory: string,
  { strict = false, checkImages = false }: ExaminationOptions,
  unreadable: (olmText: string) => void,
): Promise<Examination> {
  const validator = new CatalogValidator();
  const strictly = new StrictValidator();
  const images = new NamedImages();
  await asUsageError(directory, async () => {
    try {
      for (const blob of readBlobs(await openCatalogTree(directory))) {
        const decoded = decodeCatalogBlob(blob);
        validator.take(decoded);
        if (strict) strictly.take(blob, decoded);
        if (checkImages && decoded.kind === 'bundle') images.take(decoded.blob);
      }
    } catch (error) {
      if (error instanceof Error && 'olmText' in error) unreadable(String(error.olmText));
      throw error;
    }
  });
  return {
    problems: validator.problems(),
    warnings: strictly.warnings(),
    images: images.all.length === 0 ? [] : await imageFailures(images.all),
  };
}
