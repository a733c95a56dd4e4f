import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { type CatalogBlob, catalogBlob } from '../model/catalog-blob.js';
import { BlobError, CatalogLoadError } from '../model/catalog-load.error.js';
import { readStream } from './blob-stream.js';
import { ByteWindow } from './bytes/byte-window.js';
import type { CatalogFile } from './catalog-file.js';
import { INDEX_IGNORE, ignoreMatcher } from './index-ignore.js';

/** Limits on the size of one catalog. Beyond them reading fails with a text that names the limit. */
export type CatalogLimits = Readonly<{
  /** Bytes of all files of a catalog together. */
  bytes: number;
  /** Blobs of a catalog. */
  blobs: number;
}>;

/** The largest public catalog has fewer than 10 000 blobs and under 200 MiB. */
const CATALOG_LIMITS: CatalogLimits = { bytes: 512 * 1024 * 1024, blobs: 1_000_000 };
/** Most bytes of all `.indexignore` files together. */
const MAX_IGNORE_BYTES = 1024 * 1024;

/**
 * Reads the blobs of a file-based catalog, one at a time. It reads files of any name below the catalog's
 * root, except for those that `.indexignore` leaves out (spec: file-based-catalogs.md §1). Files are read in
 * the order of their paths, so the same files give the same blobs. Memory holds one document, never a file.
 * Throws {@link CatalogLoadError} at the first unreadable blob.
 */
export function* readBlobs(
  files: readonly CatalogFile[],
  limits: CatalogLimits = CATALOG_LIMITS,
): Generator<CatalogBlob> {
  const ignored = ignoreMatcher(ignoreTexts(files));
  const window = new ByteWindow();
  const left = { ...limits, limits };
  for (const file of files.toSorted((a, b) => byCodeUnit(a.path, b.path))) {
    if (!isIgnoreFile(file.path) && !ignored(file.path)) yield* blobsOf(file, window, left);
  }
}

/** True for a file that lists the files to leave out. It is no part of a catalog itself. */
export const isIgnoreFile = (path: string): boolean => path === INDEX_IGNORE || path.endsWith(`/${INDEX_IGNORE}`);

/** The rest of the limits, and the limits at the start. */
type Allowance = { bytes: number; blobs: number; readonly limits: CatalogLimits };

function* blobsOf({ path, chunks }: CatalogFile, window: ByteWindow, left: Allowance): Generator<CatalogBlob> {
  window.open(counted(path, chunks(), left));
  try {
    for (const { value, line, format } of readStream(window)) {
      yield catalogBlob(value, { path, line, format });
      left.blobs -= 1;
      if (left.blobs < 0) throw new CatalogLoadError(path, `catalog has more than ${left.limits.blobs} blobs`, line);
    }
  } catch (error) {
    if (error instanceof BlobError) throw new CatalogLoadError(path, error.olmText, error.line);
    throw error;
  } finally {
    window.close();
  }
}

function* counted(path: string, chunks: Iterable<Uint8Array>, left: Allowance): Generator<Uint8Array> {
  for (const chunk of chunks) {
    left.bytes -= chunk.length;
    if (left.bytes < 0) {
      throw new CatalogLoadError(path, `catalog is larger than ${left.limits.bytes / (1024 * 1024)} MiB`);
    }
    yield chunk;
  }
}

/**
 * Returns the text of every `.indexignore` by its path. Throws {@link CatalogLoadError} if they are absurdly
 * large.
 */
export function ignoreTexts(files: readonly CatalogFile[]): Map<string, string> {
  let left: number = MAX_IGNORE_BYTES;
  const texts = new Map<string, string>();
  for (const { path, chunks } of files.filter(({ path }) => isIgnoreFile(path))) {
    const decoder = new TextDecoder();
    let text = '';
    for (const chunk of chunks()) {
      left -= chunk.length;
      if (left < 0) throw new CatalogLoadError(path, `all ${INDEX_IGNORE} files together are larger than 1 MiB`);
      text += decoder.decode(chunk, { stream: true });
    }
    texts.set(path, text + decoder.decode());
  }
  return texts;
}
