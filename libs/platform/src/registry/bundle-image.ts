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

/** Pulls a bundle image. Without labels the directories are taken to be `manifests/` and `metadata/`. */
export async function pullBundle(
  client: RegistryClient,
  image: string,
  options: PullOptions = {},
): Promise<PulledBundle> {
  const keep = (path: string, labels: Readonly<Record<string, string>>) => bundlePath(path, labels) !== undefined;
  const { digest, labels, files } = await client.pull(image, keep, { ...options, maxWantedBytes: MAX_BUNDLE_BYTES });
  const mediaType = labels[BundleLabel.mediaType];
  if (mediaType !== undefined && mediaType !== 'registry+v1') {
    const known = MEDIA_TYPES.includes(mediaType) ? mediaType : JSON.stringify(mediaType.slice(0, 100));
    throw new RegistryError(
      'Unsupported',
      image,
      `image ${image} is a bundle of type ${known}; registry+v1 is expected`,
    );
  }
  const found = bundleFiles(files, labels);
  if (!found.some(({ path }) => path.startsWith('manifests/'))) {
    const directory = directoryOf(labels[BundleLabel.manifests], 'manifests');
    throw new RegistryError('Malformed', image, `image ${image} is no bundle: it has no file in "/${directory}/"`);
  }
  return { digest, labels, files: found };
}

/** The same list where the image has these directories: what is kept for it is then found again. */
function bundleFiles(files: readonly BundleFile[], labels: Readonly<Record<string, string>>): readonly BundleFile[] {
  const named = files.map(({ path, bytes }) => ({ path: bundlePath(path, labels), from: path, bytes }));
  if (named.every(({ path, from }) => path === from)) return files;
  return named.flatMap(({ path, bytes }) => (path === undefined ? [] : [{ path, bytes }]));
}

/** `metadata/annotations.yaml` for the image's own path of it; undefined outside of both directories. */
function bundlePath(path: string, labels: Readonly<Record<string, string>>): string | undefined {
  const manifests = directoryOf(labels[BundleLabel.manifests], 'manifests');
  if (path.startsWith(`${manifests}/`)) return `manifests/${path.slice(manifests.length + 1)}`;
  const metadata = directoryOf(labels[BundleLabel.metadata], 'metadata');
  if (path.startsWith(`${metadata}/`)) return `metadata/${path.slice(metadata.length + 1)}`;
  return undefined;
}

function directoryOf(label: string | undefined, otherwise: string): string {
  const parts = (label ?? '').split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 ? otherwise : parts.join('/');
}
