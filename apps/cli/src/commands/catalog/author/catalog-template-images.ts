import { readFile } from 'node:fs/promises';
import { catalogBundleOf } from '#core/catalog/bundle/bundle-blob';
import type { CatalogBundle } from '#core/catalog/model/catalog';
import { BlobError } from '#core/catalog/model/catalog-load.error';
import { readStream } from '#core/catalog/read/blob-stream';
import { decodeBlob } from '#core/catalog/read/decode-blob';
import type { RenderedImage, RenderedImages } from '#core/catalog/template/rendered-images';
import { type MigrationLevel, renderBundle } from '#core/catalog/write/render-catalog';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { isRecord } from '#core/kernel/json/json-access';
import { inParallel } from '#platform/fairness/in-parallel';
import { fileError } from '#platform/files/file-tree.error';
import { RegistryError } from '#platform/registry/client/registry-client.port';
import { UsageError } from '../../../terminal/io.js';

/** Number of images that are pulled at once. */
const AT_ONCE = 4;

/**
 * Renders the images of a template. Takes them from the lines of `file` if they are there, otherwise pulls
 * them.
 */
export async function renderImages(
  images: readonly string[],
  file: string | undefined,
  level: MigrationLevel,
  warn: (line: string) => void,
): Promise<RenderedImages> {
  const absent = file === undefined ? '' : `not found in ${file}; `;
  const given = file === undefined ? new Map<string, CatalogBundle>() : await readBundles(file);
  const rendered = await inParallel(images, AT_ONCE, async (image): Promise<[string, RenderedImage]> => {
    const known = given.get(image);
    return [
      image,
      known === undefined ? await pulled(image, level, absent, warn) : { bundles: [migrated(known, level)] },
    ];
  });
  return new Map(rendered);
}

/** The manifests stay at hand whatever the migration: a template may take the package's icon from them. */
const migrated = (bundle: CatalogBundle, level: MigrationLevel): CatalogBundle => ({
  ...renderBundle(bundle, level),
  objects: bundle.objects,
});

async function pulled(
  image: string,
  level: MigrationLevel,
  absent: string,
  warn: (line: string) => void,
): Promise<RenderedImage> {
  try {
    const { loadFromRegistry } = await import('../../../inputs/load-from-registry.js');
    const loaded = await loadFromRegistry(image);
    if (loaded.kind === 'bundle') {
      for (const line of [...loaded.bundle.warnings, ...loaded.bundle.refusals]) warn(`${image}: ${line}`);
      return { bundles: [migrated(catalogBundleOf(loaded.bundle, loaded.image), level)] };
    }
    return { failure: new UsageError('this is a catalog image; a template lists bundle images: not allowed') };
  } catch (error) {
    if (error instanceof RegistryError) return { failure: new PullError(image, `${absent}${error.message}`) };
    if (error instanceof UsageError) return { failure: error };
    // The image is there, but its content cannot be read.
    if (error instanceof FlotillaError) return { failure: new UsageError(error.message) };
    throw error;
  }
}

/** An image that its registry did not give. */
export class PullError extends Error {
  constructor(image: string, why: string) {
    super(`failed to pull image "${image}": ${why}`);
  }
}

/** Reads JSON lines `{image, bundle}`; of two lines with the same image the last counts. */
async function readBundles(file: string): Promise<Map<string, CatalogBundle>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(fileError('read', file, error).message);
  });
  const bundles = new Map<string, CatalogBundle>();
  if (text.trim() === '') return bundles;
  try {
    for (const { value, line } of readStream(text)) {
      const { image, bundle } = readLine(value, `${file}:${line}`);
      bundles.set(image, bundle);
    }
  } catch (error) {
    if (error instanceof BlobError) throw new UsageError(`${file}:${error.line ?? 1}: ${error.olmText}`);
    throw error;
  }
  return bundles;
}

function readLine(value: unknown, where: string): { image: string; bundle: CatalogBundle } {
  const { image, bundle } = isRecord(value) ? value : {};
  if (typeof image !== 'string' || !isRecord(bundle)) {
    throw new UsageError(`${where}: expected {"image": <reference>, "bundle": <olm.bundle blob>}`);
  }
  try {
    const decoded = decodeBlob(bundle);
    if (decoded.kind === 'bundle') return { image, bundle: decoded.blob };
    throw new UsageError(`${where}: the schema of "bundle" is not olm.bundle`);
  } catch (error) {
    if (error instanceof BlobError) throw new UsageError(`${where}: ${error.olmText}`);
    throw error;
  }
}
