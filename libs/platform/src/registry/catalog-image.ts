import type { BundleFile } from '#core/bundle/bundle';
import type { Digest } from '../store/content-store.port.js';
import { type PullOptions, type RegistryClient, RegistryError } from './registry-client.port.js';

/** Names the directory of the file-based catalog (spec: file-based-catalogs.md §5). */
export const CATALOG_LABEL = 'operators.operatorframework.io.index.configs.v1';
const SQLITE_LABEL = 'operators.operatorframework.io.index.database.v1';

export type PulledCatalog = Readonly<{
  /** Of the platform's image manifest. */
  digest: Digest;
  /** What the reference named, as {@link RegistryClient.resolve} tells it: compare this when polling. */
  resolved: Digest;
  labels: Readonly<Record<string, string>>;
  /** Files below the catalog's directory; paths relative to it. */
  files: readonly BundleFile[];
}>;

/** Pulls a catalog image. A missing label, or one that names no directory of the image, is a RegistryError. */
export async function pullCatalog(
  client: RegistryClient,
  image: string,
  options: PullOptions = {},
): Promise<PulledCatalog> {
  const { digest, resolved, labels, files } = await client.pull(image, isBelowLabelled(image), options);
  const directory = catalogDirectory(image, labels);
  const prefix = directory === '' ? '' : `${directory}/`;
  if (files.length === 0) {
    throw new RegistryError(
      'Malformed',
      image,
      `image ${image}: label ${CATALOG_LABEL} names "/${directory}", and the image has no file there`,
    );
  }
  return { digest, resolved, labels, files: files.map((file) => ({ ...file, path: file.path.slice(prefix.length) })) };
}

const isBelowLabelled = (image: string) => (path: string, labels: Readonly<Record<string, string>>) => {
  const directory = catalogDirectory(image, labels);
  return directory === '' || path.startsWith(`${directory}/`);
};

/** The labelled directory without slashes at its ends; empty for the image's root. */
function catalogDirectory(image: string, labels: Readonly<Record<string, string>>): string {
  const label = labels[CATALOG_LABEL];
  if (label !== undefined) return label.split('/').filter(isName).join('/');
  throw new RegistryError('Malformed', image, `image ${image} is no catalog image: ${missingLabel(labels)}`);
}

const isName = (part: string) => part !== '' && part !== '.';

function missingLabel(labels: Readonly<Record<string, string>>): string {
  if (SQLITE_LABEL in labels) {
    return `it is a SQLite index (label ${SQLITE_LABEL}), which is no longer supported: migrate to a file-based catalog`;
  }
  const found = Object.keys(labels).toSorted();
  const seen = found.length === 0 ? 'it has no labels' : `found labels ${found.slice(0, 20).join(', ')}`;
  return `label ${CATALOG_LABEL} is missing (${seen}); it must name the directory of the catalog`;
}
