import { readMetadata } from '#core/catalog/bundle/read-metadata';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { Digest } from '../content/content-store.port.js';
import {
  FilesTooLarge,
  type PullOptions,
  type ReadFiles,
  type RegistryClient,
  RegistryError,
} from './client/registry-client.port.js';

/**
 * Labels of a bundle image (spec: file-based-catalogs.md §5.1); the same keys stand in
 * metadata/annotations.yaml.
 */
const PREFIX = 'operators.operatorframework.io.bundle.';
export const BundleLabel = {
  mediaType: `${PREFIX}mediatype.v1`,
  manifests: `${PREFIX}manifests.v1`,
  metadata: `${PREFIX}metadata.v1`,
  package: `${PREFIX}package.v1`,
} as const;

const MEDIA_TYPES = ['registry+v1', 'plain+v0', 'helm'];

/**
 * Bytes of a bundle's manifests and metadata. They are held in memory. Under OLM a bundle fits into one
 * object of the API server, about 1 MiB; several bundles are pulled at once.
 */
const MAX_BUNDLE_BYTES = 32 * 2 ** 20;

export type PulledBundle = Readonly<{
  digest: Digest;
  labels: Readonly<Record<string, string>>;
  /** Files below `manifests/` and `metadata/`, with any names of these directories in the image. */
  files: readonly BundleFile[];
}>;

/** The image's own directories of a bundle's manifests and metadata, without slashes around them. */
type BundleDirectories = Readonly<{ manifests: string; metadata: string }>;

/**
 * Pulls a bundle image. Its annotations file names the directory of the manifests. If that file is missing,
 * or has no files in the directory, the labels name it; without labels the directories are `manifests/` and
 * `metadata/`. Throws {@link RegistryError} for an image that is not a bundle.
 */
export async function pullBundle(
  client: RegistryClient,
  image: string,
  options: PullOptions = {},
): Promise<PulledBundle> {
  const foldersOf = (labels: Labels): readonly string[] => {
    refuseOtherTypes(image, labels);
    return foldersIn(byLabels(labels));
  };
  const readFiles: PullOptions['readFiles'] = (labels, read) => readBundleFiles(image, byLabels(labels), read);
  const limits = { ...options, readFiles, maxWantedBytes: MAX_BUNDLE_BYTES };
  const { digest, labels, files } = await client.pull(image, foldersOf, limits);
  refuseOtherTypes(image, labels);
  return { digest, labels, files };
}

type Labels = Readonly<Record<string, string>>;

/** The files of both directories: by the labels and, if the annotations name another one, by them. */
async function readBundleFiles(
  image: string,
  labelled: BundleDirectories,
  read: ReadFiles,
): Promise<readonly BundleFile[]> {
  const readFrom = async (directories: BundleDirectories, what: string): Promise<readonly BundleFile[]> =>
    bundleFiles(await read(foldersIn(directories), what), directories);
  const byLabel = await readFrom(labelled, folderOf(labelled)).catch((error: unknown) => tooLarge(error));
  const known = 'tooLarge' in byLabel ? await readFrom({ ...labelled, manifests: NOWHERE }, METADATA) : byLabel;
  const manifests = annotatedManifests(known) ?? labelled.manifests;
  if (manifests !== labelled.manifests) {
    const annotated = { ...labelled, manifests };
    const found = await readFrom(annotated, `${folderOf(annotated)}, which its annotations name`);
    if (hasManifests(found)) return found;
  }
  if ('tooLarge' in byLabel) throw byLabel.tooLarge;
  if (hasManifests(byLabel)) return byLabel;
  throw new RegistryError('Malformed', image, `image ${image} is not a bundle: it has no file in "/${manifests}/"`);
}

const foldersIn = ({ manifests, metadata }: BundleDirectories): readonly string[] => [manifests, metadata];
const folderOf = ({ manifests }: BundleDirectories): string => `"/${manifests}/"`;
const METADATA = 'its metadata';
/** No path begins with a slash. */
const NOWHERE = '/';

/** The directory of the labels is too large; that of the annotations need not be. */
function tooLarge(error: unknown): Readonly<{ tooLarge: FilesTooLarge }> {
  if (error instanceof FilesTooLarge) return { tooLarge: error };
  throw error;
}

const hasManifests = (files: readonly BundleFile[]): boolean => files.some(({ path }) => path.startsWith('manifests/'));

function refuseOtherTypes(image: string, labels: Labels): void {
  const mediaType = labels[BundleLabel.mediaType];
  if (mediaType === undefined || mediaType === 'registry+v1') return;
  const known = MEDIA_TYPES.includes(mediaType) ? mediaType : JSON.stringify(mediaType.slice(0, 100));
  throw new RegistryError('Unsupported', image, `image ${image} is a bundle of type ${known}; registry+v1 is expected`);
}

const byLabels = (labels: Labels): BundleDirectories => ({
  manifests: directoryOf(labels[BundleLabel.manifests]) ?? 'manifests',
  metadata: directoryOf(labels[BundleLabel.metadata]) ?? 'metadata',
});

/** Returns the directory that OLM's unpacking copies the manifests from (spec: install-plans.md §4). */
function annotatedManifests(files: readonly BundleFile[]): string | undefined {
  const file = files.find(({ path }) => path === 'metadata/annotations.yaml');
  return file && directoryOf(readMetadata([file]).annotations?.[BundleLabel.manifests]);
}

/** The same list if the image has these directories. */
function bundleFiles(files: readonly BundleFile[], directories: BundleDirectories): readonly BundleFile[] {
  const named = files.map(({ path, bytes }) => ({ path: bundlePath(path, directories), from: path, bytes }));
  if (named.every(({ path, from }) => path === from)) return files;
  return named.flatMap(({ path, bytes }) => (path === undefined ? [] : [{ path, bytes }]));
}

/** `metadata/annotations.yaml` for the image's own path of it; undefined outside of both directories. */
function bundlePath(path: string, { manifests, metadata }: BundleDirectories): string | undefined {
  if (path.startsWith(`${manifests}/`)) return `manifests/${path.slice(manifests.length + 1)}`;
  if (path.startsWith(`${metadata}/`)) return `metadata/${path.slice(metadata.length + 1)}`;
  return undefined;
}

function directoryOf(name = ''): string | undefined {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 ? undefined : parts.join('/');
}
