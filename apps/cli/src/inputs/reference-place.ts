import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { fileError } from '#platform/files/file-tree.error';
import { RegistryError } from '#platform/registry/client/registry-client.port';
import { UsageError } from '../terminal/io.js';
import { LAYOUT_PREFIX } from './layout-prefix.js';

/** The kind of place that a reference of the command line names. */
type ReferencePlace = 'layout' | 'file' | 'directory' | 'image';

/**
 * Decides between paths and images: a text that exists as a path is a path. Other text is an image, unless it
 * can be none, or is written like a path. That is text without tag and digest, and either one word, or below
 * a directory that exists. A registry is not asked for these.
 * @throws UsageError
 */
export async function referencePlace(reference: string): Promise<ReferencePlace> {
  if (reference.startsWith(LAYOUT_PREFIX)) return 'layout';
  const kind = await pathKind(reference);
  if (kind !== 'absent') return kind;
  if (isPathOnly(reference) || (await isLikePath(reference))) throw await absent(reference);
  return 'image';
}

export async function pathKind(path: string): Promise<'absent' | 'file' | 'directory'> {
  const stats = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw fileError('stat', path, error);
  });
  if (!stats) return 'absent';
  return stats.isDirectory() ? 'directory' : 'file';
}

/** Runs a pull. If the image may have been meant as a path, a failure says that there is no such path. */
export async function orAbsentPath<T>(reference: string, pull: () => Promise<T>): Promise<T> {
  try {
    return await pull();
  } catch (error) {
    if (!(error instanceof RegistryError) || isPinned(reference)) throw error;
    const message = `there is no file or directory ${reference}; as an image: ${error.message}`;
    throw new RegistryError(error.failure, reference, message);
  }
}

/** These can be no image references. */
const isPathOnly = (reference: string): boolean => /^(\.{0,2}\/|\.{1,2}$)|\.(ya?ml|json)$/.test(reference);

/** True if a tag or a digest makes the reference that of an image. */
const isPinned = (reference: string): boolean => /@sha256:|:[^/]+$/.test(reference);

async function isLikePath(reference: string): Promise<boolean> {
  if (isPinned(reference)) return false;
  const slash = reference.indexOf('/');
  return slash < 0 || (await pathKind(reference.slice(0, slash))) === 'directory';
}

async function absent(path: string): Promise<UsageError> {
  const siblings = await readdir(dirname(path)).catch(() => []);
  const near = didYouMean(basename(path), siblings);
  const advice = 'name a catalog, a bundle directory, or an image with its registry and tag';
  return new UsageError(`stat ${path}: no such file or directory${near}: ${advice}`);
}
