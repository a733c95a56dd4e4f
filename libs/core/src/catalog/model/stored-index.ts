import { createHash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { CatalogIndex } from './catalog-index.js';
import { offersOf, type PackageSummary, StoredPackage } from './indexed-package.js';
import type { PackageRecord } from './package-record.js';

/** A stored record: a line of canonical JSON, and the summary that the index keeps. */
type StoredRecord = Readonly<{ line: string; summary: PackageSummary }>;

/**
 * Returns the stored form of one record; a catalog's lines stand in one file, in the order of its summaries.
 */
export function storedRecord(record: PackageRecord): StoredRecord {
  const text = canonicalJson(record);
  const hash = createHash('sha256').update(text).digest('hex');
  const summary = { name: record.name, hash, bytes: Buffer.byteLength(text), offers: offersOf(record) };
  return { line: `${text}\n`, summary };
}

/**
 * Returns the index of a catalog over the bytes of all its lines: no record is parsed before it is reached.
 */
export function indexStored(summaries: readonly PackageSummary[], lines: Uint8Array): CatalogIndex {
  let at = 0;
  const packages = summaries.map((summary) => {
    const bytes = lines.subarray(at, at + summary.bytes);
    at += summary.bytes + 1;
    return new StoredPackage(summary, bytes);
  });
  return new CatalogIndex(packages);
}
