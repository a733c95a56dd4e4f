import { rm } from 'node:fs/promises';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { Digest } from '../content/content-store.port.js';
import {
  type PullOptions,
  type RegistryClient,
  RegistryError,
  type UnpackedImage,
} from './client/registry-client.port.js';

/** Names the directory of the file-based catalog (spec: file-based-catalogs.md §5). */
export const CATALOG_LABEL = 'operators.operatorframework.io.index.configs.v1';
const SQLITE_LABEL = 'operators.operatorframework.io.index.database.v1';

/** The image has no label that names the directory of a catalog; no layer of it was pulled. */
export class CatalogLabelMissing extends RegistryError {}

export type PulledCatalog = Readonly<{
  /** Digest of the platform's image manifest. */
  digest: Digest;
  /** The digest of the reference, from {@link RegistryClient.resolve}: compare this when polling. */
  resolved: Digest;
  labels: Readonly<Record<string, string>>;
  /** Files below the catalog's directory; paths relative to it. */
  files: readonly BundleFile[];
}>;

/**
 * Pulls a catalog image. A missing label, or one that names no directory of the image, is a RegistryError.
 */
export async function pullCatalog(
  client: RegistryClient,
  image: string,
  options: PullOptions = {},
): Promise<PulledCatalog> {
  const folderOf = (labels: Labels) => catalogDirectory(image, labels);
  const { files, ...found } = await client.pull(image, (labels) => [folderOf(labels)], options);
  if (files.length === 0) throw noCatalogFile(image, found.labels);
  const folder = folderOf(found.labels);
  const below = (path: string) => (folder === '' ? path : path.slice(folder.length + 1));
  return { ...found, files: files.map(({ path, bytes }) => ({ path: below(path), bytes })) };
}

/**
 * Same as {@link pullCatalog}, with the files streamed into `directory`. It must be empty or not there; paths
 * are relative to the labelled directory. A pull that fails leaves no directory behind.
 */
export async function pullCatalogTo(
  client: RegistryClient,
  image: string,
  directory: string,
  options: PullOptions = {},
): Promise<UnpackedImage> {
  const unpacked = await client.pullTo(image, directory, (labels) => catalogDirectory(image, labels), options);
  if (unpacked.files > 0) return unpacked;
  await rm(directory, { recursive: true, force: true });
  throw noCatalogFile(image, unpacked.labels);
}

type Labels = Readonly<Record<string, string>>;

const noCatalogFile = (image: string, labels: Labels) =>
  new RegistryError(
    'Malformed',
    image,
    `image ${image}: label ${CATALOG_LABEL} names "/${catalogDirectory(image, labels)}", and the image has no file there`,
  );

/** The labelled directory without slashes at its ends; empty for the image's root. */
function catalogDirectory(image: string, labels: Labels): string {
  const label = labels[CATALOG_LABEL];
  if (label !== undefined) return label.split('/').filter(isName).join('/');
  throw new CatalogLabelMissing('Malformed', image, `image ${image} is not a catalog image: ${missingLabel(labels)}`);
}

const isName = (part: string) => part !== '' && part !== '.';

function missingLabel(labels: Labels): string {
  if (SQLITE_LABEL in labels) {
    return `it is a SQLite index (label ${SQLITE_LABEL}), which is no longer supported: migrate to a file-based catalog`;
  }
  const found = Object.keys(labels).toSorted();
  const seen = found.length === 0 ? 'it has no labels' : `found labels ${found.slice(0, 20).join(', ')}`;
  return `label ${CATALOG_LABEL} is missing (${seen}); it must name the directory of the catalog`;
}
