import type { BuiltImage } from '#platform/registry/image-builder';
import { asUsageError } from '../../../inputs/unreadable-input.js';
import { ExitCode, type Io } from '../../../terminal/io.js';
import { problemLine } from '../validate/catalog-validate.command.js';

/** The directory of the catalog in images that we build, as the label says. */
const DIRECTORY = 'configs';

/**
 * Returns a catalog directory as an image. Returns undefined, after every problem has been printed, if the
 * catalog is invalid.
 */
export async function catalogImage(directory: string, io: Io): Promise<BuiltImage | undefined> {
  const { readCatalogTree } = await import('#platform/files/read-tree');
  const { fileInMemory } = await import('#core/catalog/read/catalog-file');
  const { decodeCatalogBlob } = await import('#core/catalog/read/decode-blob');
  const { readBlobs } = await import('#core/catalog/read/read-blobs');
  const { CatalogValidator } = await import('#core/catalog/validate/validate-catalog');
  const { CATALOG_LABEL } = await import('#platform/registry/catalog-image');
  const { buildImage } = await import('#platform/registry/image-builder');
  const files = await asUsageError(directory, () => readCatalogTree(directory));
  const validator = new CatalogValidator();
  await asUsageError(directory, async () => {
    for (const blob of readBlobs(files.map(fileInMemory))) validator.take(decodeCatalogBlob(blob));
  });
  const problems = validator.problems();
  if (problems.length > 0) {
    for (const problem of problems) io.err(problemLine(directory, problem));
    io.exit(ExitCode.no);
    return undefined;
  }
  return buildImage({
    files: files.map(({ path, bytes }) => ({ path: `${DIRECTORY}/${path}`, bytes })),
    labels: { [CATALOG_LABEL]: `/${DIRECTORY}` },
  });
}
