import { type BlobMeta, metaOf } from '../model/catalog-blob.js';

/**
 * Reads the schema, package and name of one line of a catalog.jsonl. Throws SyntaxError or BlobError if it is
 * no blob.
 */
export const blobMeta = (line: string): BlobMeta => metaOf(JSON.parse(line));
