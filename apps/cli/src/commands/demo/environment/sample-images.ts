import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { readTree } from '#platform/files/read-tree';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { type BuiltImage, buildImage } from '#platform/registry/image-builder';
import { annotationsOf } from './bundle-annotations.js';

/** The host that the sample catalogs name their images by; the demo's own registry takes its place. */
const PLACEHOLDER = 'registry.example/';

/** Puts an image under a reference without host. */
export type Put = (reference: string, image: BuiltImage) => unknown;

/** Every sample bundle as an image, `flotilla-samples/<package>-bundle:<version>`. */
export async function putSampleBundles(examples: string, put: Put): Promise<string[]> {
  const references: string[] = [];
  for (const name of await foldersOf(join(examples, 'bundles'))) {
    for (const version of await foldersOf(join(examples, 'bundles', name))) {
      const files = await readTree(join(examples, 'bundles', name, version));
      const reference = `flotilla-samples/${name}-bundle:${version}`;
      await put(reference, await buildImage({ files, labels: annotationsOf(files) }));
      references.push(reference);
    }
  }
  return references;
}

/** The image that the sample CatalogSource names. */
export const SAMPLE_CATALOG = 'flotilla-samples/catalog:latest';

/** A sample catalog as an image, its bundles named in the registry at `host`. */
export async function putSampleCatalog(
  examples: string,
  edition: string,
  { host, put }: Readonly<{ host: string; put: Put }>,
  reference = SAMPLE_CATALOG,
): Promise<void> {
  const files = await readTree(join(examples, 'catalogs', edition));
  const placed = files.map(
    ({ path, bytes }): BundleFile => ({ path: `configs/${path}`, bytes: rehosted(bytes, host) }),
  );
  await put(reference, await buildImage({ files: placed, labels: { [CATALOG_LABEL]: '/configs' } }));
}

const rehosted = (bytes: Uint8Array, host: string): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll(PLACEHOLDER, `${host}/`));

async function foldersOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort(byCodeUnit);
}
