import { readMetadata } from '#core/catalog/bundle/read-metadata';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { Digest } from '../store/content-store.port.js';
import { type PullOptions, type RegistryClient, RegistryError } from './registry-client.port.js';

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
 * Bytes of a bundle's manifests and metadata, which are held in memory. Under OLM a bundle fits into one
 * object of the API server, about 1 MiB; several bundles are pulled at once.
 */
const MAX_BUNDLE_BYTES = 32 * 2 ** 20;

export type PulledBundle = Readonly<{
  digest: Digest;
  labels: Readonly<Record<string, string>>;
  /** Below `manifests/` and `metadata/`, whatever the image's own names of these directories are. */
  files: readonly BundleFile[];
}>;

/** The image's own directories of a bundle's manifests and metadata, without slashes around them. */
type BundleDirectories = Readonly<{ manifests: string; metadata: string }>;

/**
 * Pulls a bundle image. Its annotations file names the directory of the manifests; where that file is
 * missing, or has no files in the directory, the labels name it; without labels the directories are
 * `manifests/` and `metadata/`. Throws {@link RegistryError} for an image that is no bundle.
 */
export async function pullBundle(
  client: RegistryClient,
  image: string,
  options: PullOptions = {},
): Promise<PulledBundle> {
  const limits = { ...options, maxWantedBytes: MAX_BUNDLE_BYTES };
  const labelled = await client.pull(image, (path, labels) => bundlePath(path, byLabels(labels)) !== undefined, limits);
  refuseOtherTypes(image, labelled.labels);
  const directories = byLabels(labelled.labels);
  const manifests = annotatedManifests(bundleFiles(labelled.files, directories));
  if (manifests !== undefined && manifests !== directories.manifests) {
    const annotated = { ...directories, manifests };
    // What is kept of recent images are the files by their labels.
    const { recent: _, ...apart } = limits;
    const { digest, labels, files } = await client.pull(
      image,
      (path) => bundlePath(path, annotated) !== undefined,
      apart,
    );
    const found = bundleFiles(files, annotated);
    if (hasManifests(found)) return { digest, labels, files: found };
  }
  const found = bundleFiles(labelled.files, directories);
  if (!hasManifests(found)) {
    throw new RegistryError(
      'Malformed',
      image,
      `image ${image} is no bundle: it has no file in "/${manifests ?? directories.manifests}/"`,
    );
  }
  return { digest: labelled.digest, labels: labelled.labels, files: found };
}

const hasManifests = (files: readonly BundleFile[]): boolean => files.some(({ path }) => path.startsWith('manifests/'));

function refuseOtherTypes(image: string, labels: Readonly<Record<string, string>>): void {
  const mediaType = labels[BundleLabel.mediaType];
  if (mediaType === undefined || mediaType === 'registry+v1') return;
  const known = MEDIA_TYPES.includes(mediaType) ? mediaType : JSON.stringify(mediaType.slice(0, 100));
  throw new RegistryError('Unsupported', image, `image ${image} is a bundle of type ${known}; registry+v1 is expected`);
}

const byLabels = (labels: Readonly<Record<string, string>>): BundleDirectories => ({
  manifests: directoryOf(labels[BundleLabel.manifests]) ?? 'manifests',
  metadata: directoryOf(labels[BundleLabel.metadata]) ?? 'metadata',
});

/** The directory from which OLM's unpacking copies the manifests (spec: install-plans.md §4). */
function annotatedManifests(files: readonly BundleFile[]): string | undefined {
  const file = files.find(({ path }) => path === 'metadata/annotations.yaml');
  return file && directoryOf(readMetadata([file]).annotations?.[BundleLabel.manifests]);
}

/** The same list where the image has these directories: what is kept for it is then found again. */
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
