import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import type { BundleFile } from '#core/bundle/bundle';
import { readTree } from '#platform/files/read-tree';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { pushImage } from '#platform/registry/image-push';
import { annotationsOf } from '../../apps/cli/src/demo/bundle-annotations.js';
import { isMap } from './dump-edits.js';
import type { Dump, Json, JsonObject, Recording } from './recording.js';

/** Public bundles, which are no part of this repository: where they lie when they are at hand. */
const BUNDLES = join(import.meta.dirname, '../../../shared/data/bundles');

export type RealBundle = Readonly<{ package: string; version: string }>;

export const folderOf = ({ package: name, version }: RealBundle): string | undefined => {
  const folder = join(BUNDLES, name, version);
  return existsSync(folder) ? folder : undefined;
};

type Owned = Readonly<{ name: string; version: string; kind: string }>;
type Csv = KubernetesObject &
  Readonly<{ spec: Readonly<Record<string, unknown>> & Readonly<{ customresourcedefinitions?: { owned?: Owned[] } }> }>;

const text = (file: BundleFile): string => new TextDecoder().decode(file.bytes);
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Pushes the bundle and a catalog with it alone, prepared as the recording's README says; gives the catalog's reference. */
export async function pushRealBundle(bundle: RealBundle, folder: string, host: string): Promise<string> {
  const client = new HttpRegistryClient();
  const { files, csv } = prepared(await readTree(folder));
  const image = `${host}/real/${bundle.package}-bundle:${bundle.version}`;
  await pushImage(client, image, await buildImage({ files, labels: annotationsOf(files) }));
  const catalog = { path: 'configs/catalog.json', bytes: catalogOf(bundle, csv, image) };
  const reference = `${host}/real/${bundle.package}-catalog:latest`;
  await pushImage(client, reference, await buildImage({ files: [catalog], labels: { [CATALOG_LABEL]: '/configs' } }));
  return reference;
}

/** Without dependencies, spec.replaces and required CRDs: what they ask for is not offered here, nor was it to OLM. */
function prepared(files: readonly BundleFile[]): { files: BundleFile[]; csv: Csv } {
  const own = files.find((file) => /^manifests\/.*\.ya?ml$/.test(file.path) && isCsv(load(text(file))));
  if (own === undefined) throw new Error('the bundle has no ClusterServiceVersion');
  const csv = load(text(own)) as Csv;
  const { replaces: _replaces, customresourcedefinitions = {}, ...spec } = csv.spec;
  const { required: _required, ...crds } = customresourcedefinitions as Record<string, unknown>;
  const reduced = { ...csv, spec: { ...spec, customresourcedefinitions: crds } } as Csv;
  const others = files.filter((file) => file !== own && file.path !== 'metadata/dependencies.yaml');
  return { files: [...others, { path: own.path, bytes: bytes(reduced) }], csv: reduced };
}

const isCsv = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'ClusterServiceVersion';

function catalogOf({ package: name, version }: RealBundle, csv: Csv, image: string): Uint8Array {
  const bundle = csv.metadata.name ?? '';
  const apis = (csv.spec.customresourcedefinitions?.owned ?? []).map((crd) => ({
    type: 'olm.gvk',
    value: { group: crd.name.slice(crd.name.indexOf('.') + 1), kind: crd.kind, version: crd.version },
  }));
  const properties = [{ type: 'olm.package', value: { packageName: name, version } }, ...apis];
  const blobs = [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: name, name: 'stable', entries: [{ name: bundle }] },
    { schema: 'olm.bundle', name: bundle, package: name, image, properties },
  ];
  return new TextEncoder().encode(blobs.map((blob) => JSON.stringify(blob)).join('\n'));
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
