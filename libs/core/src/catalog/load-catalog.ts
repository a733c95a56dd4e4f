import type { BundleFile } from '../bundle/bundle.js';
import { byCodeUnit } from '../canonical/canonical-json.js';
import { readStream } from './blob-stream.js';
import type { Catalog, CatalogBundle, CatalogChannel, CatalogDeprecation, CatalogPackage } from './catalog.js';
import { BlobError, BlobFormError, CatalogLoadError } from './catalog-load.error.js';
import { decodeBlob } from './decode-blob.js';
import { INDEX_IGNORE, ignoreMatcher } from './index-ignore.js';

/** Limits on what one catalog may hold; beyond them loading fails with a text that names the limit. */
export const CATALOG_LIMITS = {
  /** Bytes of one file, and of all files of a catalog together. */
  bytes: 512 * 1024 * 1024,
  /** Blobs of a catalog: the largest public one has fewer than 10 000. */
  blobs: 1_000_000,
} as const;

type Building = {
  packages: CatalogPackage[];
  channels: CatalogChannel[];
  bundles: CatalogBundle[];
  deprecations: CatalogDeprecation[];
  others: Readonly<Record<string, unknown>>[];
};

/**
 * A file-based catalog from the files below its root, whatever their names, but for what `.indexignore` leaves out (spec:
 * file-based-catalogs.md §1). Files are read in the order of their paths, so the same files give the same catalog. Nothing
 * but form is checked; for the rules see `validateCatalog`. Throws {@link CatalogLoadError} at the first unreadable blob.
 */
export function loadCatalog(files: readonly BundleFile[]): Catalog {
  const decoder = new TextDecoder();
  boundBytes(files);
  const ignoreFiles = files.filter(({ path }) => path === INDEX_IGNORE || path.endsWith(`/${INDEX_IGNORE}`));
  const ignored = ignoreMatcher(new Map(ignoreFiles.map(({ path, bytes }) => [path, decoder.decode(bytes)])));
  const catalog: Building = { packages: [], channels: [], bundles: [], deprecations: [], others: [] };
  let blobs = 0;
  for (const { path, bytes } of files.toSorted((a, b) => byCodeUnit(a.path, b.path))) {
    if (path === INDEX_IGNORE || path.endsWith(`/${INDEX_IGNORE}`) || ignored(path)) continue;
    blobs += addFile(catalog, path, decoder.decode(bytes), CATALOG_LIMITS.blobs - blobs);
  }
  return catalog;
}

function boundBytes(files: readonly BundleFile[]): void {
  let total = 0;
  for (const { path, bytes } of files) {
    total += bytes.length;
    if (total <= CATALOG_LIMITS.bytes) continue;
    throw new CatalogLoadError(path, `catalog is larger than ${CATALOG_LIMITS.bytes / (1024 * 1024)} MiB`);
  }
}

/** Adds the blobs of one file, at most `limit`, and returns how many they were. */
function addFile(catalog: Building, path: string, text: string, limit: number): number {
  let count = 0;
  try {
    for (const { value, line, format } of readStream(text)) {
      addBlobAt(catalog, value, path, line, format);
      count += 1;
      if (count > limit) throw new CatalogLoadError(path, `catalog has more than ${CATALOG_LIMITS.blobs} blobs`, line);
    }
  } catch (error) {
    if (error instanceof BlobError) throw new CatalogLoadError(path, error.olmText, error.line);
    throw error;
  }
  return count;
}

function addBlobAt(catalog: Building, value: unknown, path: string, line: number, format: 'json' | 'yaml'): void {
  try {
    addBlob(catalog, value);
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    const decoding = error instanceof BlobFormError && format === 'yaml';
    const prefix = decoding ? 'error unmarshaling JSON: while decoding JSON: ' : '';
    // A line of the error's own counts within an inline manifest; the person needs the blob's.
    throw new CatalogLoadError(path, `${prefix}${error.olmText}`, line);
  }
}

function addBlob(catalog: Building, value: unknown): void {
  const decoded = decodeBlob(value);
  switch (decoded.kind) {
    case 'package':
      return void catalog.packages.push(decoded.blob);
    case 'channel':
      return void catalog.channels.push(decoded.blob);
    case 'bundle':
      return void catalog.bundles.push(decoded.blob);
    case 'deprecation':
      return void catalog.deprecations.push(decoded.blob);
    case 'other':
      return void catalog.others.push(decoded.blob);
  }
}
