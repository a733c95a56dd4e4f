import { foldCase, isRecord } from '../catalog/go-json.js';

/** The three fields by which blobs are asked for; empty where a blob lacks one. */
export type BlobMeta = Readonly<{ schema: string; package: string; name: string }>;

/** Reads them of one line of a catalog; their names may be written in any case (spec: v1-catalog.md §1, store). */
export function blobMeta(line: string): BlobMeta {
  const blob: unknown = JSON.parse(line);
  const meta = { schema: '', package: '', name: '' };
  if (!isRecord(blob)) return meta;
  for (const [key, value] of Object.entries(blob)) {
    const field = foldCase(key);
    if (typeof value !== 'string') continue;
    if (field === 'schema' || field === 'package' || field === 'name') meta[field] = value;
  }
  return meta;
}
