import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BundleError } from '#core/bundle/bundle.error';
import { readBundle } from '#core/bundle/read-bundle';
import type { Catalog } from '#core/catalog/catalog';
import { CatalogLoadError } from '#core/catalog/catalog-load.error';
import { loadCatalog } from '#core/catalog/load-catalog';
import { FileTreeError, fileError } from '#platform/files/file-tree.error';
import { readCatalogTree, readTree } from '#platform/files/read-tree';
import { UsageError } from '../io.js';
import { LAYOUT_PREFIX } from './layout-prefix.js';
import type { LoadedReference } from './loaded-reference.js';

/** Loads an image from an OCI layout or a registry. */
export type ImageLoader = (reference: string) => Promise<LoadedReference>;

/**
 * Loads a catalog directory, a single catalog file, a bundle directory, an image of an OCI layout, or, where no such path
 * exists, an image of a registry. Input that cannot be read is a {@link UsageError} that says where, what and what to do.
 */
export async function loadReference(reference: string, loadImage: ImageLoader = pullImage): Promise<LoadedReference> {
  return asUsageError(reference, async () => {
    if (reference.startsWith(LAYOUT_PREFIX)) return loadImage(reference);
    const kind = await pathKind(reference);
    if (kind === 'absent') return isPathOnly(reference) ? absent(reference) : loadImage(reference);
    if (kind === 'file') return { kind: 'catalog', catalog: await loadFile(reference) };
    if (await isBundleDirectory(reference)) {
      return { kind: 'bundle', bundle: readBundle(await readTree(reference)), image: '' };
    }
    return { kind: 'catalog', catalog: loadCatalog(await readCatalogTree(reference)) };
  });
}

/** Turns what is wrong with the input into one clear line; `where` is put before paths below it. */
export async function asUsageError<T>(where: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof CatalogLoadError) {
      const place = where === error.path ? '' : `${where.replace(/\/+$/, '')}/`;
      const what = error.message.replaceAll("\n'", "'").replaceAll(/\s*\n\s*/g, ' ');
      throw new UsageError(`${place}${what}: correct the file, or name it in ".indexignore" to leave it out`);
    }
    if (error instanceof FileTreeError || error instanceof BundleError) {
      throw new UsageError(error.message.includes(where) ? error.message : `${where}: ${error.message}`);
    }
    throw error;
  }
}

async function pathKind(path: string): Promise<'absent' | 'file' | 'directory'> {
  const stats = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw fileError('stat', path, error);
  });
  if (!stats) return 'absent';
  return stats.isDirectory() ? 'directory' : 'file';
}

/** These can be no image references, so a registry need not be asked. */
const isPathOnly = (reference: string): boolean => /^(\.{0,2}\/|\.{1,2}$)|\.(ya?ml|json)$/.test(reference);

function absent(path: string): never {
  throw new UsageError(`stat ${path}: no such file or directory: name a catalog, a bundle directory or an image`);
}

async function isBundleDirectory(path: string): Promise<boolean> {
  const kinds = await Promise.all(['manifests', 'metadata'].map((name) => pathKind(join(path, name))));
  return kinds.every((kind) => kind === 'directory');
}

async function loadFile(path: string): Promise<Catalog> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fileError('read', path, error);
  });
  try {
    return loadCatalog([{ path: basename(path), bytes }]);
  } catch (error) {
    // The whole path, not the name alone, is what the person typed.
    if (error instanceof CatalogLoadError) throw new CatalogLoadError(path, error.olmText, error.line);
    throw error;
  }
}

/** Registry code is loaded only where an image is asked for. */
async function pullImage(reference: string): Promise<LoadedReference> {
  const { loadFromRegistry } = await import('./load-from-registry.js');
  return loadFromRegistry(reference);
}
