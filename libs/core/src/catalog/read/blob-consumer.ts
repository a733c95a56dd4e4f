import type { Catalog } from '../model/catalog.js';
import type { DecodedBlob } from './decode-blob.js';

/**
 * Takes the blobs of a catalog in load order and keeps the parts of each that it needs. Several consumers
 * share one reading, and none of them sees the whole.
 */
export interface BlobConsumer {
  take(decoded: DecodedBlob): void;
}

/** Yields the blobs of a loaded catalog, for consumers; the order between kinds of blobs matters to none. */
export function* blobsOf(catalog: Catalog): Generator<DecodedBlob> {
  for (const blob of catalog.packages) yield { kind: 'package', blob };
  for (const blob of catalog.channels) yield { kind: 'channel', blob };
  for (const blob of catalog.bundles) yield { kind: 'bundle', blob };
  for (const blob of catalog.deprecations) yield { kind: 'deprecation', blob };
  for (const blob of catalog.others) yield { kind: 'other', blob };
}

/**
 * Returns a copy of a value that does not keep its document alive. V8 makes a longer text of the value a view
 * into the whole document, so ten thousand kept names would keep ten thousand documents.
 */
export const detached = <T>(value: T): T => JSON.parse(JSON.stringify(value));
