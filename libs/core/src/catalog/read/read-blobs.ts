import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { type CatalogBlob, catalogBlob } from '../model/catalog-blob.js';
import { BlobError, CatalogLoadError } from '../model/catalog-load.error.js';
import { readStream } from './blob-stream.js';
import { ByteWindow } from './bytes/byte-window.js';
import type { CatalogFile } from './catalog-file.js';
import { INDEX_IGNORE, ignoreMatcher } from './index-ignore.js';

/** Limits on what one catalog may hold; beyond them reading fails with a text that names the limit. */
export type CatalogLimits = Readonly<{
  /** Bytes of all files of a catalog together. */
  bytes: number;
  /** Blobs of a catalog. */
  blobs: number;
}>;

/** The largest public catalog has fewer than 10 000 blobs and under 200 MiB. */
const CATALOG_LIMITS: CatalogLimits = { bytes: 512 * 1024 * 1024, blobs: 1_000_000 };
/** Of all `.indexignore` files together. */
const MAX_IGNORE_BYTES = 1024 * 1024;

/**
 * The blobs of a file-based catalog, one at a time, from the files below its root, whatever their names, but
 * for what `.indexignore` leaves out (spec: file-based-catalogs.md §1). Files are read in the order of their
 * paths, so the same files give the same blobs. Memory holds one document, never a file. Throws
 * {@link CatalogLoadError} at the first unreadable blob.
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

/** Says what stays out of a catalog instead of being part of it. */
export const isIgnoreFile = (path: string): boolean => path === INDEX_IGNORE || path.endsWith(`/${INDEX_IGNORE}`);

/** What may still come, and what was allowed at first. */
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
 * The text of every `.indexignore` by its path. Throws {@link CatalogLoadError} where
 * they are absurdly large.
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
