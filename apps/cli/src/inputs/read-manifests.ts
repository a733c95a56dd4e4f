import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { fileError } from '#platform/files/file-tree.error';
import { type Manifest, ManifestError, parseManifests as parsedManifests } from '#platform/files/manifest-text';
import { UsageError } from '../terminal/io.js';

export type { Manifest } from '#platform/files/manifest-text';

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MANIFEST = /\.(ya?ml|json)$/;

/** Objects of YAML or JSON files, of all such files below directories, and of standard input for `-`. */
export async function readManifests(paths: readonly string[], stdin: () => Promise<string>): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) {
    if (path === '-') manifests.push(...parseManifests('standard input', await stdin()));
    else for (const file of await filesOf(path)) manifests.push(...parseManifests(file, await textOf(file)));
  }
  return manifests;
}

async function filesOf(path: string): Promise<string[]> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new UsageError(fileError('open', path, error).message);
  });
  if (!stats.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && MANIFEST.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort(byCodeUnit);
}

/** The text of a file, unless it is too large. */
export async function textOf(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > MAX_FILE_BYTES)
    throw new UsageError(`${file}: larger than ${MAX_FILE_BYTES / (1024 * 1024)} MiB; split it`);
  return readFile(file, 'utf8');
}

/**
 * Parses manifests as their parser does, with its errors as usage errors.
 * @throws UsageError
 */
export function parseManifests(file: string, text: string): Manifest[] {
  try {
    return parsedManifests(file, text);
  } catch (error) {
    throw error instanceof ManifestError ? new UsageError(error.message) : error;
  }
}
