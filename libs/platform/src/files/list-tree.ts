import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { FileTreeError, fileError } from './file-tree.error.js';

/** Limits on a directory tree; more is an error that names the limit. */
export type TreeLimits = Readonly<{ files: number; depth: number; bytes: number }>;
export const TREE_LIMITS: TreeLimits = { files: 100_000, depth: 64, bytes: 512 * 1024 * 1024 };

/**
 * Paths of everything below `root` that is no directory, relative to it, in walk order.
 * Links are never walked into.
 */
export async function listTree(root: string, limits: TreeLimits = TREE_LIMITS): Promise<string[]> {
  await requireDirectory(root);
  const paths: string[] = [];
  const walk = async (directory: string, depth: number): Promise<void> => {
    if (depth > limits.depth) {
      throw new FileTreeError(`${directory} is nested too deeply`, `at most ${limits.depth} directories are entered`);
    }
    for (const entry of await entriesOf(join(root, directory))) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory()) await walk(path, depth + 1);
      else paths.push(path);
      if (paths.length > limits.files) {
        throw new FileTreeError(`${root} holds too many files`, `at most ${limits.files} files are read`);
      }
    }
  };
  await walk('', 0);
  return paths;
}

async function requireDirectory(root: string): Promise<void> {
  const stats = await stat(root).catch((error: unknown) => {
    throw fileError('stat', root, error);
  });
  if (!stats.isDirectory()) throw new FileTreeError(`"${root}" is not a directory`, 'name a directory');
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.sort((a, b) => byCodeUnit(a.name, b.name));
  } catch (error) {
    throw fileError('open', directory, error);
  }
}

/**
 * The real path of a file of the tree. A link that leads out of `root` is an error: it
 * may lead to private files.
 */
export async function pathWithin(root: string, path: string): Promise<string> {
  const [top, target] = await Promise.all([realpath(root), realpath(join(root, path))]).catch((error: unknown) => {
    throw fileError('open', path, error);
  });
  if (target === top || target.startsWith(top.endsWith('/') ? top : `${top}/`)) return target;
  throw new FileTreeError(`open ${path}: the link leads out of the directory`, 'links may only name files of the tree');
}
