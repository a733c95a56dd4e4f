import { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { BundleFile } from '../model/bundle-file.js';
import { BlobError } from '../model/catalog-load.error.js';
import { readStream } from '../read/blob-stream.js';
import { ByteWindow } from '../read/byte-window.js';
import { completedManifest } from './completed-manifest.js';

/** What one file holds: its first document, and what else is to be said about it. */
export type FirstDocument = Readonly<{ value: unknown; warnings: readonly string[] }>;

/**
 * The first document of a JSON or YAML file; undefined for an empty or unreadable file, with
 * the reason as a warning.
 */
export function firstDocument({ path, bytes }: BundleFile): FirstDocument {
  try {
    const documents = readStream(ByteWindow.whole(bytes));
    const first = documents.next();
    if (first.done) return { value: undefined, warnings: [`${path}: the file is empty`] };
    return {
      value: first.value.value,
      warnings: hasMore(documents) ? [`${path}: only the first document is used`] : [],
    };
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    const line = error.line === undefined ? '' : `:${error.line}`;
    return { value: undefined, warnings: [`${path}${line}: passed over: ${error.olmText}`] };
  }
}

function hasMore(documents: Generator<{ value: unknown }>): boolean {
  try {
    const next = documents.next();
    return !next.done && next.value.value !== null;
  } catch (error) {
    if (error instanceof BlobError) return true;
    throw error;
  }
}

export type Manifests = Readonly<{
  objects: readonly KubernetesObject[];
  /** The file of each object. */
  paths: ReadonlyMap<KubernetesObject, string>;
  warnings: readonly string[];
}>;

/**
 * The manifests among `files`: one object per file, in the order of file names. Of several
 * CSVs only the first is kept.
 */
export function readManifests(files: readonly BundleFile[]): Manifests {
  const objects: KubernetesObject[] = [];
  const paths = new Map<KubernetesObject, string>();
  const warnings: string[] = [];
  let csvPath: string | undefined;
  for (const file of files) {
    const document = firstDocument(file);
    warnings.push(...document.warnings);
    if (document.value === undefined) continue;
    const parsed = KubernetesObject.safeParse(completedManifest(document.value));
    if (!parsed.success) {
      warnings.push(`${file.path}: passed over: not a Kubernetes object (it needs apiVersion, kind and metadata)`);
      continue;
    }
    if (parsed.data.apiVersion === '') warnings.push(`${file.path}: no apiVersion: no cluster will accept this`);
    if (parsed.data.kind === 'ClusterServiceVersion') {
      if (csvPath !== undefined) {
        warnings.push(`${file.path}: passed over: ${csvPath} already holds the ClusterServiceVersion`);
        continue;
      }
      csvPath = file.path;
    }
    objects.push(parsed.data);
    paths.set(parsed.data, file.path);
  }
  return { objects, paths, warnings };
}
