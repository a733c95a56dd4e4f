import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { pushImage } from '#platform/registry/image-push';
import { annotationsOf } from '../../apps/cli/src/commands/demo/environment/bundle-annotations.js';
import { isMap } from './dump-edits.js';
import { contentOf, type PublicBundle, packageBlobs, treeOf, withoutDependencies } from './public-bundles.js';
import type { Dump, Json, JsonObject, Recording } from './recording.js';

/**
 * Pushes the bundle and a catalog with it alone, prepared as the recording's README says; gives
 * the catalog's reference.
 */
export async function pushPublicBundle(bundle: PublicBundle, folder: string, host: string): Promise<string> {
  const client = new HttpRegistryClient();
  const content = withoutDependencies(contentOf(treeOf(folder)));
  const { files } = content;
  const image = `${host}/real/${bundle.package}-bundle:${bundle.version}`;
  await pushImage(client, image, await buildImage({ files, labels: annotationsOf(files) }));
  const text = packageBlobs(bundle, content, { image }).map((blob) => JSON.stringify(blob));
  const catalog = { path: 'configs/catalog.json', bytes: new TextEncoder().encode(text.join('\n')) };
  const reference = `${host}/real/${bundle.package}-catalog:latest`;
  await pushImage(client, reference, await buildImage({ files: [catalog], labels: { [CATALOG_LABEL]: '/configs' } }));
  return reference;
}

/** The recording as it would be if its catalog had been an image instead of a server at an address. */
export function servedAsImage(recording: Recording, image: string): Recording {
  return {
    ...recording,
    steps: recording.steps.filter((step) => !step.startsWith('serve catalog ')),
    input: (file) => recording.input(file).map((object) => withImage(object as unknown as JsonObject, image) as never),
    final: withImageSources(recording.final, image.replace(/^[^/]+/, '<catalog-address>')),
  };
}

const withImageSources = (dump: Dump, image: string): Dump => ({
  ...dump,
  CatalogSource: Object.fromEntries(
    Object.entries(dump['CatalogSource'] ?? {}).map(([key, source]) => [key, withImage(source, image)]),
  ),
});

function withImage(object: JsonObject, image: Json): JsonObject {
  const spec = object['spec'];
  if (!isMap(spec) || spec['address'] === undefined) return object;
  const { address: _address, ...rest } = spec;
  return { ...object, spec: { ...rest, image } };
}
