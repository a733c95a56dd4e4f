import type { BundleFile } from '../model/bundle-file.js';
import type { Catalog, CatalogBundle, CatalogChannel, CatalogDeprecation, CatalogPackage } from '../model/catalog.js';
import type { BlobStart } from '../model/catalog-blob.js';
import type { BlobConsumer } from '../read/blob-consumer.js';
import { fileInMemory } from '../read/catalog-file.js';
import { type DecodedBlob, decodeCatalogBlob } from '../read/decode-blob.js';
import { readBlobs } from '../read/read-blobs.js';

/**
 * Reads a whole file-based catalog into memory, from files in memory. See {@link readBlobs}, which reads the
 * same one blob at a time. Only the form is checked; for the rules see `validateCatalog`. Throws
 * `CatalogLoadError` at the first unreadable blob.
 */
export function loadCatalog(files: readonly BundleFile[]): Catalog {
  const collector = new CatalogCollector();
  for (const blob of readBlobs(files.map(fileInMemory))) collector.take(decodeCatalogBlob(blob));
  return collector.catalog;
}

/** Keeps every blob, for callers that need a catalog as a whole. */
export class CatalogCollector implements BlobConsumer {
  readonly #packages: CatalogPackage[] = [];
  readonly #channels: CatalogChannel[] = [];
  readonly #bundles: CatalogBundle[] = [];
  readonly #deprecations: CatalogDeprecation[] = [];
  readonly #others: Readonly<Record<string, unknown>>[] = [];
  readonly #starts = new Map<object, BlobStart>();

  get catalog(): Catalog {
    return {
      packages: this.#packages,
      channels: this.#channels,
      bundles: this.#bundles,
      deprecations: this.#deprecations,
      others: this.#others,
    };
  }

  /** Returns the same catalog with the place of each blob, for messages that name file and line. */
  get placedCatalog(): Catalog {
    return { ...this.catalog, starts: this.#starts };
  }

  take(decoded: DecodedBlob): void {
    if (decoded.start !== undefined) this.#starts.set(decoded.blob, decoded.start);
    switch (decoded.kind) {
      case 'package':
        return void this.#packages.push(decoded.blob);
      case 'channel':
        return void this.#channels.push(decoded.blob);
      case 'bundle':
        return void this.#bundles.push(decoded.blob);
      case 'deprecation':
        return void this.#deprecations.push(decoded.blob);
      case 'other':
        return void this.#others.push(decoded.blob);
    }
  }
}
