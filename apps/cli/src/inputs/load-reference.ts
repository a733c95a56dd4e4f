import { join } from 'node:path';
import { CatalogCollector } from '#core/catalog/load/load-catalog';
import type { BlobConsumer } from '#core/catalog/read/blob-consumer';
import { decodeCatalogBlob } from '#core/catalog/read/decode-blob';
import { readBlobs } from '#core/catalog/read/read-blobs';
import { openCatalogFile, openCatalogTree } from '#platform/files/catalog-tree';
import type { LoadedReference, ReadReference } from './loaded-reference.js';
import { orAbsentPath, pathKind, referencePlace } from './reference-place.js';
import { asUsageError } from './unreadable-input.js';

/** Reads an image from an OCI layout or a registry; the blobs of a catalog go to the consumer. */
export type ImageReader = (reference: string, consumer: BlobConsumer) => Promise<ReadReference>;

/**
 * Loads a catalog directory, a single catalog file, a bundle directory, or an image of an OCI layout. If no
 * such path exists, loads an image of a registry. Unreadable input is a {@link UsageError} with the place,
 * the fault and the fix.
 */
export async function loadReference(reference: string, readImage: ImageReader = pullImage): Promise<LoadedReference> {
  const collector = new CatalogCollector();
  const read = await readReference(reference, collector, readImage);
  return read.kind === 'catalog' ? { kind: 'catalog', catalog: collector.placedCatalog } : read;
}

/**
 * Reads a reference as {@link loadReference} does, but gives the blobs of a catalog to `consumer` one by one.
 * Memory holds only the blobs that the consumer keeps. If reading fails, the consumer has had the blobs
 * before.
 */
export async function readReference(
  reference: string,
  consumer: BlobConsumer,
  readImage: ImageReader = pullImage,
): Promise<ReadReference> {
  return asUsageError(reference, async () => {
    const place = await referencePlace(reference);
    if (place === 'layout') return readImage(reference, consumer);
    if (place === 'image') return orAbsentPath(reference, () => readImage(reference, consumer));
    if (place === 'directory' && (await isBundleDirectory(reference))) {
      return readBundleDirectory(reference);
    }
    const files = place === 'file' ? [openCatalogFile(reference, reference)] : await openCatalogTree(reference);
    for (const blob of readBlobs(files)) consumer.take(decodeCatalogBlob(blob));
    return { kind: 'catalog' };
  });
}

async function readBundleDirectory(path: string): Promise<ReadReference> {
  const { readBundle } = await import('#core/catalog/bundle/read-bundle');
  const { readTree } = await import('#platform/files/read-tree');
  return { kind: 'bundle', bundle: readBundle(await readTree(path)), image: '' };
}

async function isBundleDirectory(path: string): Promise<boolean> {
  const kinds = await Promise.all(['manifests', 'metadata'].map((name) => pathKind(join(path, name))));
  return kinds.every((kind) => kind === 'directory');
}

/** Pulls an image. Registry code is loaded only then. */
async function pullImage(reference: string, consumer: BlobConsumer): Promise<ReadReference> {
  const { readFromRegistry } = await import('./load-from-registry.js');
  return readFromRegistry(reference, consumer);
}
