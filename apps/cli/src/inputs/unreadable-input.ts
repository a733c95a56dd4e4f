import { BundleError } from '#core/catalog/bundle/bundle.error';
import { CatalogLoadError } from '#core/catalog/model/catalog-load.error';
import { FileTreeError } from '#platform/files/file-tree.error';
import { UsageError } from '../terminal/io.js';

/** Turns a fault of the input into one clear line. `where` is put before paths below it. */
export async function asUsageError<T>(where: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof CatalogLoadError) {
      const place = where === error.path ? '' : `${where.replace(/\/+$/, '')}/`;
      const what = error.message.replaceAll("\n'", "'").replaceAll(/\s*\n\s*/g, ' ');
      throw new UsageError(`${place}${what}: correct the file, or name it in ".indexignore" to leave it out`, {
        cause: error,
      });
    }
    if (error instanceof FileTreeError || error instanceof BundleError) {
      throw new UsageError(error.message.includes(where) ? error.message : `${where}: ${error.message}`, {
        cause: error,
      });
    }
    throw error;
  }
}
