import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';

/** Folder of public bundles, which are not part of this repository. */
const BUNDLES = join(import.meta.dirname, '../../../shared/data/bundles');

export type PublicBundle = Readonly<{ package: string; version: string }>;

export const folderOf = ({ package: name, version }: PublicBundle): string | undefined => {
  const folder = join(BUNDLES, name, version);
  return existsSync(folder) ? folder : undefined;
};

type Owned = Readonly<{ name: string; version: string; kind: string }>;
type Csv = KubernetesObject &
  Readonly<{ spec: Readonly<Record<string, unknown>> & Readonly<{ customresourcedefinitions?: { owned?: Owned[] } }> }>;

/** A bundle's files, with the ClusterServiceVersion that is among them. */
export type BundleContent = Readonly<{ files: readonly BundleFile[]; csv: Csv; csvFile: BundleFile }>;

export function contentOf(files: readonly BundleFile[]): BundleContent {
  const csvFile = files.find((file) => /^manifests\/.*\.ya?ml$/.test(file.path) && isCsv(document(file)));
  if (csvFile === undefined) throw new Error('the bundle has no ClusterServiceVersion');
  return { files, csvFile, csv: document(csvFile) as Csv };
}

/** Removes dependencies, spec.replaces and required CRDs: no catalog here provides them, nor did OLM's. */
export function withoutDependencies({ files, csv, csvFile }: BundleContent): BundleContent {
  const { replaces: _replaces, customresourcedefinitions = {}, ...spec } = csv.spec;
  const { required: _required, ...crds } = customresourcedefinitions as Record<string, unknown>;
  const reduced = { ...csv, spec: { ...spec, customresourcedefinitions: crds } } as Csv;
  const file = { path: csvFile.path, bytes: new TextEncoder().encode(JSON.stringify(reduced)) };
  const others = files.filter((one) => one !== csvFile && one.path !== DEPENDENCIES);
  return { files: [...others, file], csv: reduced, csvFile: file };
}

const DEPENDENCIES = 'metadata/dependencies.yaml';

export const document = (file: BundleFile): unknown => load(new TextDecoder().decode(file.bytes));

const isCsv = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'ClusterServiceVersion';

/**
 * The blobs of a catalog with the bundle alone, in one channel `stable`; `more` of its bundle: an image, or
 * objects.
 */
export function packageBlobs(
  { package: name, version }: PublicBundle,
  { csv }: BundleContent,
  more: Readonly<{ image?: string; properties?: readonly unknown[] }>,
): unknown[] {
  const bundle = csv.metadata.name ?? '';
  const apis = (csv.spec.customresourcedefinitions?.owned ?? []).map((crd) => ({
    type: 'olm.gvk',
    value: { group: crd.name.slice(crd.name.indexOf('.') + 1), kind: crd.kind, version: crd.version },
  }));
  const own = [{ type: 'olm.package', value: { packageName: name, version } }, ...apis];
  const edges = csv.spec['replaces'] === undefined ? {} : { replaces: csv.spec['replaces'] };
  const { properties = [], ...rest } = more;
  return [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: name, name: 'stable', entries: [{ name: bundle, ...edges }] },
    { schema: 'olm.bundle', name: bundle, package: name, ...rest, properties: [...own, ...properties] },
  ];
}

/** The manifests as `olm.bundle.object` properties. */
export const inline = ({ files }: BundleContent): unknown[] =>
  files
    .filter(({ path }) => path.startsWith('manifests/'))
    .map((file) => ({
      type: 'olm.bundle.object',
      value: { data: Buffer.from(JSON.stringify(document(file))).toString('base64') },
    }));

/** Returns the requirements of its metadata/dependencies.yaml, as properties. */
export function requirements({ files }: BundleContent): unknown[] {
  const file = files.find(({ path }) => path === DEPENDENCIES);
  if (file === undefined) return [];
  const { dependencies } = document(file) as { dependencies: { type: string; value: Record<string, string> }[] };
  return dependencies.map(({ type, value }) => {
    const { version, ...rest } = value;
    return type === 'olm.package'
      ? { type: 'olm.package.required', value: { ...rest, versionRange: version } }
      : { type: `${type}.required`, value };
  });
}

/** All files below a folder, with their paths in it. */
export const treeOf = (folder: string, prefix = ''): BundleFile[] =>
  readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => byCodeUnit(a.name, b.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return treeOf(path, `${prefix}${entry.name}/`);
      return [{ path: `${prefix}${entry.name}`, bytes: new Uint8Array(readFileSync(path)) }];
    });
