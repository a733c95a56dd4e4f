import { goJson } from '../../kernel/json/go-json-text.js';
import type { BlobMeta } from '../model/catalog-blob.js';
import type { CatalogFile } from '../read/catalog-file.js';
import { readBlobs } from '../read/read-blobs.js';

/** A blob as it stands in a catalog.jsonl: one line of JSON with sorted keys, its line feed included. */
type CatalogLine = Readonly<{ line: string; meta: BlobMeta }>;

/**
 * Returns the lines of the catalog.jsonl of a catalog's files, in load order (spec: v1-catalog.md §1, store).
 * Blobs need only be well formed; throws CatalogLoadError at the first that is not.
 */
export function* catalogLines(files: readonly CatalogFile[]): Generator<CatalogLine> {
  for (const { value, schema, package: pkg, name } of readBlobs(files)) {
    yield { line: `${goJson(value)}\n`, meta: { schema, package: pkg, name } };
  }
}
