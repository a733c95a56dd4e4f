import { readFile, stat } from 'node:fs/promises';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { ignoreMatcher } from '#core/catalog/read/index-ignore';
import { isIgnoreFile } from '#core/catalog/read/read-blobs';
import { FileTreeError, fileError } from './file-tree.error.js';
import { listTree, pathWithin, TREE_LIMITS, type TreeLimits } from './list-tree.js';

/**
 * All files below a directory. A link counts as the file it leads to (spec: file-based-catalogs.md §1); one
 * that leads out of the directory, to a directory or nowhere is an error, as is anything but a regular file.
 * Throws {@link FileTreeError}.
 */
export async function readTree(root: string, limits: TreeLimits = TREE_LIMITS): Promise<BundleFile[]> {
  return readFiles(root, await listTree(root, limits), limits);
}

/** Like {@link readTree}, but files that `.indexignore` leaves out are not even opened. */
export async function readCatalogTree(root: string, limits: TreeLimits = TREE_LIMITS): Promise<BundleFile[]> {
  const paths = await listTree(root, limits);
  const ignoreFiles = await readFiles(root, paths.filter(isIgnoreFile), limits);
  const decoder = new TextDecoder();
  const ignored = ignoreMatcher(new Map(ignoreFiles.map(({ path, bytes }) => [path, decoder.decode(bytes)])));
  const wanted = paths.filter((path) => !isIgnoreFile(path) && !ignored(path));
  return [...ignoreFiles, ...(await readFiles(root, wanted, limits))];
}

/** The named files of a tree, one after the other: their sum is bounded before the next is read. */
async function readFiles(root: string, paths: readonly string[], limits: TreeLimits): Promise<BundleFile[]> {
  const files: BundleFile[] = [];
  let left = limits.bytes;
  for (const path of paths) {
    const target = await pathWithin(root, path);
    left -= await requireRegularFile(path, target);
    if (left < 0) {
      const limit = `at most ${Math.floor(limits.bytes / (1024 * 1024))} MiB are read`;
      throw new FileTreeError(`the files below ${root} are too large`, limit);
    }
    try {
      files.push({ path, bytes: await readFile(target) });
    } catch (error) {
      throw fileError('read', path, error);
    }
  }
  return files;
}

/** Returns the size of a file of the tree. Fails if a link leads to no file, or if a read would never end. */
export async function requireRegularFile(path: string, target: string): Promise<number> {
  const stats = await stat(target).catch((error: unknown) => {
    throw fileError('open', path, error);
  });
  if (stats.isDirectory()) throw new FileTreeError(`read ${path}: is a directory`, 'a link may only name a file');
  if (!stats.isFile()) throw new FileTreeError(`read ${path}: not a regular file`, 'remove it or ignore it');
  return stats.size;
}
