import { type BlobMeta, metaOf } from '../model/catalog-blob.js';

/**
 * What one line of a catalog.jsonl says about itself. Throws SyntaxError or BlobError where it is no blob.
 */
export const blobMeta = (line: string): BlobMeta => metaOf(JSON.parse(line));
