import { closeSync, openSync, readSync } from 'node:fs';
import type { CatalogFile } from '#core/catalog/read/catalog-file';
import { ignoreMatcher } from '#core/catalog/read/index-ignore';
import { ignoreTexts, isIgnoreFile } from '#core/catalog/read/read-blobs';
import { fileError } from './file-tree.error.js';
import { listTree, pathWithin, TREE_LIMITS, type TreeLimits } from './list-tree.js';
import { requireRegularFile } from './read-tree.js';

const CHUNK_BYTES = 256 * 1024;

/**
 * Opens the files of a catalog directory as streams. Files that `.indexignore` leaves out are not even
 * opened. Links and odd files are treated as in {@link import('./read-tree.js').readTree}. Throws
 * `FileTreeError`.
 */
export async function openCatalogTree(root: string, limits: TreeLimits = TREE_LIMITS): Promise<CatalogFile[]> {
  const paths = await listTree(root, limits);
  const ignoreFiles = await openFiles(root, paths.filter(isIgnoreFile));
  const ignored = ignoreMatcher(ignoreTexts(ignoreFiles));
  const wanted = paths.filter((path) => !isIgnoreFile(path) && !ignored(path));
  return [...ignoreFiles, ...(await openFiles(root, wanted))];
}

/** One file as a stream, under a name of its own choosing. */
export const openCatalogFile = (path: string, target: string): CatalogFile => ({
  path,
  chunks: () => chunksOf(path, target),
});

/** Whatever is wrong with a file is said before the first is read. */
async function openFiles(root: string, paths: readonly string[]): Promise<CatalogFile[]> {
  const files: CatalogFile[] = [];
  for (const path of paths) {
    const target = await pathWithin(root, path);
    await requireRegularFile(path, target);
    files.push(openCatalogFile(path, target));
  }
  return files;
}

/**
 * Every chunk comes in the same buffer. Reading waits for the disk: the readers are commands
 * and threads of their own.
 */
function* chunksOf(path: string, target: string): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const file = attempt('open', path, () => openSync(target, 'r'));
  try {
    for (;;) {
      const length = attempt('read', path, () => readSync(file, buffer, 0, CHUNK_BYTES, null));
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

function attempt<T>(operation: string, path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw fileError(operation, path, error);
  }
}
