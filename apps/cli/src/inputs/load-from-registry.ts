import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import { CatalogCollector } from '#core/catalog/load/load-catalog';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { BlobConsumer } from '#core/catalog/read/blob-consumer';
import { decodeCatalogBlob } from '#core/catalog/read/decode-blob';
import { readBlobs } from '#core/catalog/read/read-blobs';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { openCatalogTree } from '#platform/files/catalog-tree';
import { BundleLabel, pullBundle } from '#platform/registry/bundle-image';
import { CATALOG_LABEL, pullCatalogTo } from '#platform/registry/catalog-image';
import { type PullOptions, type RegistryClient, RegistryError } from '#platform/registry/client/registry-client.port';
import { OciLayoutClient } from '#platform/registry/oci-layout';
import { UsageError } from '../terminal/io.js';
import { LAYOUT_PREFIX } from './layout-prefix.js';
import type { LoadedReference, ReadReference } from './loaded-reference.js';
import { commandRegistryClient, logins } from './registry-access.js';

const SQLITE_LABEL = 'operators.operatorframework.io.index.database.v1';

/**
 * Loads a catalog or bundle image, from an OCI layout (`oci:DIR[:TAG]`) or with this machine's logins from a
 * registry. Its labels say if it is a catalog or a bundle.
 */
export async function loadFromRegistry(reference: string): Promise<LoadedReference> {
  const collector = new CatalogCollector();
  const read = await readFromRegistry(reference, collector);
  return read.kind === 'catalog' ? { kind: 'catalog', catalog: collector.placedCatalog } : read;
}

/**
 * Reads an image as {@link loadFromRegistry} does, and gives the blobs of a catalog to `consumer` one by one.
 */
export async function readFromRegistry(reference: string, consumer: BlobConsumer): Promise<ReadReference> {
  return fromImage(reference, (source) => read({ ...source, reference, consumer }));
}

/** The files of a bundle image, whether they make a bundle or not. */
export const pullBundleFiles = (reference: string): Promise<readonly BundleFile[]> =>
  fromImage(reference, async ({ client, options }) => (await pullBundle(client, reference, options)).files);

type Source = Readonly<{ client: RegistryClient; options: PullOptions }>;

async function fromImage<T>(reference: string, use: (source: Source) => Promise<T>): Promise<T> {
  if (!reference.startsWith(LAYOUT_PREFIX)) {
    const client = await commandRegistryClient(new MemoryContentStore());
    const options = { credentials: await logins(reference) };
    return use({ client, options }).catch(asUsage(['InvalidReference']));
  }
  // A layout is a directory of the person: whatever is wrong with it is theirs to mend.
  return use({ client: new OciLayoutClient(), options: {} }).catch(asUsage(undefined));
}

/** The labels are asked for alone: no layer is unpacked for them. */
const NO_FILES = async (): Promise<readonly BundleFile[]> => [];

type Wanted = Source & Readonly<{ reference: string; consumer: BlobConsumer }>;

/** A catalog goes through the disk: images hold more of it than a command should hold in memory. */
async function readCatalogImage({ client, reference, options, consumer }: Wanted): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-catalog-'));
  try {
    const directory = join(folder, 'files');
    await pullCatalogTo(client, reference, directory, options);
    for (const blob of readBlobs(await openCatalogTree(directory))) consumer.take(decodeCatalogBlob(blob));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function read(wanted: Wanted): Promise<ReadReference> {
  const { client, reference, options } = wanted;
  const { labels } = await client.pull(reference, () => [], { ...options, readFiles: NO_FILES });
  if (CATALOG_LABEL in labels) {
    await readCatalogImage(wanted);
    return { kind: 'catalog' };
  }
  if (BundleLabel.package in labels) {
    const { files } = await pullBundle(client, reference, options);
    return { kind: 'bundle', bundle: readBundle(files), image: imageOf(reference) };
  }
  if (SQLITE_LABEL in labels) {
    throw new UsageError(
      `render "${reference}": sqlite-based index images are no longer supported, migrate to a file-based catalog: not allowed`,
    );
  }
  const found = Object.keys(labels).sort();
  const seen = found.length === 0 ? 'image has no labels' : `found labels ${found.join(', ')}`;
  throw new UsageError(
    `render "${reference}": image type could not be determined, ${seen}: a catalog has ${CATALOG_LABEL}, a bundle ${BundleLabel.package}`,
  );
}

/**
 * Returns the image of a reference, '' for a layout. No cluster can pull from a directory of this machine: as
 * for a bundle directory, the place is not known yet.
 */
const imageOf = (reference: string): string => (reference.startsWith(LAYOUT_PREFIX) ? '' : reference);

const asUsage =
  (failures: readonly string[] | undefined) =>
  (error: unknown): never => {
    if (error instanceof RegistryError && (failures?.includes(error.failure) ?? true))
      throw new UsageError(error.message);
    throw error;
  };
