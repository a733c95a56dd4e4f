import { decodeCatalogBlob } from '#core/catalog/read/decode-blob';
import { readBlobs } from '#core/catalog/read/read-blobs';
import type { PlacedWarning } from '#core/catalog/strict/strict-validator';
import type { CatalogProblem } from '#core/catalog/validate/catalog-problem';
import { CatalogValidator } from '#core/catalog/validate/validate-catalog';
import { withCatalogFiles } from '../../../inputs/catalog-files.js';
import { UsageError } from '../../../terminal/io.js';
import { type ImageFailure, imageFailures, NamedImages } from './catalog-validate-images.js';

/** The checks beyond opm's own rules. */
export type ExaminationOptions = Readonly<{ strict?: boolean; checkImages?: boolean }>;

/** All findings. The lists of checks that were not requested are empty. */
export type Examination = Readonly<{
  problems: readonly CatalogProblem[];
  warnings: readonly PlacedWarning[];
  images: readonly ImageFailure[];
  /** The number of packages that were read. */
  packages: number;
  bundles: number;
}>;

/**
 * Examines the catalog of a directory, a file or an image, one blob at a time. If the catalog is unreadable,
 * gives the cause to `unreadable` in opm's words, then throws it as a usage error.
 */
export async function examine(
  reference: string,
  { strict = false, checkImages = false }: ExaminationOptions,
  unreadable: (olmText: string, place: string | undefined) => void,
): Promise<Examination> {
  const validator = new CatalogValidator();
  const strictly = strict ? await strictValidator() : undefined;
  const images = new NamedImages();
  const read = { packages: 0, bundles: 0 };
  await withCatalogFiles(reference, async (files) => {
    for (const blob of readBlobs(files)) {
      const decoded = decodeCatalogBlob(blob);
      validator.take(decoded);
      if (decoded.kind === 'package') read.packages += 1;
      if (decoded.kind === 'bundle') read.bundles += 1;
      strictly?.take(blob, decoded);
      if (checkImages && decoded.kind === 'bundle') images.take(decoded.blob);
    }
  }).catch((error: unknown) => {
    const cause = error instanceof UsageError ? error.cause : undefined;
    if (cause instanceof Error && 'olmText' in cause) unreadable(String(cause.olmText), placeOf(cause));
    throw error;
  });
  return {
    problems: validator.problems(),
    warnings: strictly?.warnings() ?? [],
    images: images.all.length === 0 ? [] : await imageFailures(images.all),
    ...read,
  };
}

/**
 * Loads the strict validator. Its rules read constraints in CEL, which takes longer to load than a small
 * catalog to check.
 */
async function strictValidator() {
  const { StrictValidator } = await import('#core/catalog/strict/strict-validator');
  return new StrictValidator();
}

/** Returns `path:line` below the root, if it is known. */
function placeOf(cause: Error): string | undefined {
  if (!('path' in cause) || typeof cause.path !== 'string') return undefined;
  return 'line' in cause && typeof cause.line === 'number' ? `${cause.path}:${cause.line}` : cause.path;
}
