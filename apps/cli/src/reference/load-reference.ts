import { join } from 'node:path';
import { BundleError } from '#core/catalog/bundle/bundle.error';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import { CatalogCollector } from '#core/catalog/load/load-catalog';
import { CatalogLoadError } from '#core/catalog/model/catalog-load.error';
import type { BlobConsumer } from '#core/catalog/read/blob-consumer';
import { decodeCatalogBlob } from '#core/catalog/read/decode-blob';
import { readBlobs } from '#core/catalog/read/read-blobs';
import { openCatalogFile, openCatalogTree } from '#platform/files/catalog-tree';
import { FileTreeError } from '#platform/files/file-tree.error';
import { readTree } from '#platform/files/read-tree';
import { UsageError } from '../io.js';
import type { LoadedReference, ReadReference } from './loaded-reference.js';
import { orAbsentPath, pathKind, referencePlace } from './reference-place.js';

/** Reads an image from an OCI layout or a registry; the blobs of a catalog go to the consumer. */
export type ImageReader = (reference: string, consumer: BlobConsumer) => Promise<ReadReference>;

/**
 * Loads a catalog directory, a single catalog file, a bundle directory, an image of an OCI layout, or, where
 * no such path exists, an image of a registry. Input that cannot be read is a {@link UsageError} that says
 * where, what and what to do.
 */
export async function loadReference(reference: string, readImage: ImageReader = pullImage): Promise<LoadedReference> {
  const collector = new CatalogCollector();
  const read = await readReference(reference, collector, readImage);
  return read.kind === 'catalog' ? { kind: 'catalog', catalog: collector.placedCatalog } : read;
}

/**
 * As {@link loadReference}, with the blobs of a catalog given to `consumer` one by one: memory holds what it
 * keeps. When reading fails the consumer has had the blobs before.
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
      return { kind: 'bundle', bundle: readBundle(await readTree(reference)), image: '' };
    }
    const files = place === 'file' ? [openCatalogFile(reference, reference)] : await openCatalogTree(reference);
    for (const blob of readBlobs(files)) consumer.take(decodeCatalogBlob(blob));
    return { kind: 'catalog' };
  });
}

/** Turns what is wrong with the input into one clear line; `where` is put before paths below it. */
export async function asUsageError<T>(where: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof CatalogLoadError) {
      const place = where === error.path ? '' : `${where.replace(/\/+$/, '')}/`;
      const what = error.message.replaceAll("\n'", "'").replaceAll(/\s*\n\s*/g, ' ');
      throw new UsageError(`${place}${what}: correct the file, or name it in ".indexignore" to leave it out`, {
        cause: error,
      });
    }
    if (error instanceof FileTreeError || error instanceof BundleError) {
      throw new UsageError(error.message.includes(where) ? error.message : `${where}: ${error.message}`, {
        cause: error,
      });
    }
    throw error;
  }
}

async function isBundleDirectory(path: string): Promise<boolean> {
  const kinds = await Promise.all(['manifests', 'metadata'].map((name) => pathKind(join(path, name))));
  return kinds.every((kind) => kind === 'directory');
}

/** Registry code is loaded only where an image is asked for. */
async function pullImage(reference: string, consumer: BlobConsumer): Promise<ReadReference> {
  const { readFromRegistry } = await import('./load-from-registry.js');
  return readFromRegistry(reference, consumer);
}
