import { z } from 'zod';
import { BUNDLE_LIMITS } from '../../../catalog/bundle/read-bundle.js';
import type { BundleFile } from '../../../catalog/model/bundle-file.js';
import { BlobError } from '../../../catalog/model/catalog-load.error.js';
import { readStream } from '../../../catalog/read/blob-stream.js';
import { ByteWindow } from '../../../catalog/read/bytes/byte-window.js';
import { readCsv } from '../../../kernel/api/cluster-service-version.js';
import { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { goJson } from '../../../kernel/json/go-json-text.js';
import { isRecord, textAt } from '../../../kernel/json/json-access.js';
import { goQuote } from '../../../kernel/versions/go-quote.js';
import { mergeProperties, OLM_PROPERTIES } from './olm-properties.js';
import { pruneNulls } from './prune-nulls.js';
import type { BundleCsv, RegistryBundle } from './registry-bundle.js';
import type { RenderRefusal } from './render-request.js';

const MANIFESTS = 'manifests';
const ANNOTATIONS = 'metadata/annotations.yaml';
const PROPERTIES = 'metadata/properties.yaml';
const PACKAGE = 'operators.operatorframework.io.bundle.package.v1';
/** Lists of lists of … are read to this depth. */
const MAX_LIST_DEPTH = 16;

/** A mistake in a bundle, in OLM v1's words. */
class Unreadable extends Error {}

/**
 * Reads a registry+v1 bundle from the files of its image, as OLM v1 does (spec: v1-apply.md §1), or returns
 * its mistake. Stricter than OLM Classic's reading: every document must be an object, and there are no
 * directories below manifests/.
 */
export function readRegistryBundle(files: readonly BundleFile[]): RegistryBundle | RenderRefusal {
  try {
    boundSize(files);
    return bundleOf(new Map(files.map((file) => [file.path, file])));
  } catch (error) {
    if (error instanceof Unreadable) return { error: error.message, reason: 'Retrying' };
    throw error;
  }
}

function boundSize(files: readonly BundleFile[]): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (files.length <= BUNDLE_LIMITS.files && bytes <= BUNDLE_LIMITS.bytes) return;
  const limits = `at most ${BUNDLE_LIMITS.files} files and ${BUNDLE_LIMITS.bytes} bytes are read`;
  throw new Unreadable(`bundle of ${files.length} files and ${bytes} bytes is too large: ${limits}`);
}

function bundleOf(files: ReadonlyMap<string, BundleFile>): RegistryBundle {
  const annotations = files.get(ANNOTATIONS);
  if (annotations === undefined) throw new Unreadable(`open ${ANNOTATIONS}: no such file or directory`);
  const packageName = textAt(firstValue(annotations), 'annotations', PACKAGE);
  const manifests = [...files.values()]
    .filter(({ path }) => path.startsWith(`${MANIFESTS}/`))
    .toSorted((a, b) => byCodeUnit(a.path, b.path));
  if (manifests.length === 0) throw new Unreadable(`stat ${MANIFESTS}: no such file or directory`);
  const objects = manifests.flatMap(objectsOf);
  const csvs = objects.filter(({ object }) => object.kind === 'ClusterServiceVersion');
  const last = csvs.map(({ path, object }) => csvOf(path, object)).at(-1);
  if (last === undefined) throw new Unreadable(`no ClusterServiceVersion found in ${goQuote(MANIFESTS)}`);
  const rest = objects.map(({ object }) => object).filter(({ kind }) => kind !== 'ClusterServiceVersion');
  return {
    packageName,
    csv: withProperties(last, files.get(PROPERTIES)),
    crds: rest.filter(isCrd),
    others: rest.filter((object) => !isCrd(object)),
  };
}

const isCrd = ({ kind }: KubernetesObject): boolean => kind === 'CustomResourceDefinition';

type Found = Readonly<{ path: string; object: KubernetesObject }>;

function objectsOf(file: BundleFile): Found[] {
  const { path } = file;
  const below = path.lastIndexOf('/');
  if (below > MANIFESTS.length) {
    const directory = path.slice(0, path.indexOf('/', MANIFESTS.length + 1));
    throw new Unreadable(
      `subdirectories are not allowed within the ${goQuote(MANIFESTS)} directory of the bundle image filesystem: found ${goQuote(directory)}`,
    );
  }
  const documents = [...valuesOf(file)].filter((value) => value !== null && value !== undefined);
  return documents.flatMap((value) => flattened(value, path, 0)).map((object) => ({ path, object }));
}

/** The values of a file's documents. */
function* valuesOf({ path, bytes }: BundleFile): Generator<unknown> {
  try {
    for (const { value } of readStream(ByteWindow.whole(bytes))) yield value;
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    throw new Unreadable(`error parsing objects in ${goQuote(path)}: error parsing ${path}: ${error.olmText}`);
  }
}

/**
 * Returns one value, or each of its `items` if it has them. Items without kind and version have the list's.
 */
function flattened(value: unknown, path: string, depth: number): KubernetesObject[] {
  const fail = (why: string): never => {
    throw new Unreadable(`error parsing objects in ${goQuote(path)}: unable to decode ${goQuote(path)}: ${why}`);
  };
  if (!isRecord(value)) return fail(`json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value}`);
  const { kind, items } = value;
  if (typeof kind !== 'string' || kind === '') return fail(`Object 'Kind' is missing in '${goJson(value)}'`);
  if (Array.isArray(items)) {
    if (depth >= MAX_LIST_DEPTH) return fail(`lists nest more than ${MAX_LIST_DEPTH} levels`);
    const typed = { apiVersion: value['apiVersion'] ?? '', kind: kind.replace(/List$/, '') };
    return items.flatMap((item: unknown) =>
      flattened(isRecord(item) && !item['kind'] && !item['apiVersion'] ? { ...item, ...typed } : item, path, depth + 1),
    );
  }
  const { apiVersion, metadata } = value;
  const object = KubernetesObject.safeParse({ ...value, apiVersion: apiVersion ?? '', metadata: metadata ?? {} });
  return object.success ? [object.data] : fail(firstProblem(object.error));
}

function csvOf(path: string, object: KubernetesObject): BundleCsv {
  const csv = readCsv(pruneNulls(object));
  if (csv.ok) {
    const { metadata } = csv.value;
    return {
      ...csv.value,
      metadata: { ...metadata, name: metadata.name ?? '', annotations: metadata.annotations ?? {} },
    };
  }
  const [{ field, message } = { field: '', message: '' }] = csv.problems;
  throw new Unreadable(`error parsing objects in ${goQuote(path)}: ClusterServiceVersion: ${field} ${message}`);
}

const firstProblem = ({ issues: [first] }: z.ZodError): string =>
  first === undefined ? 'not an object' : `${first.path.join('.')}: ${first.message}`;

/** The first document of a file. */
function firstValue(file: BundleFile): unknown {
  for (const value of valuesOf(file)) return value;
  return undefined;
}

function withProperties(csv: BundleCsv, file: BundleFile | undefined): BundleCsv {
  const merged = mergeProperties(
    csv.metadata.annotations[OLM_PROPERTIES],
    file === undefined ? undefined : firstValue(file),
  );
  if (typeof merged === 'object') throw new Unreadable(merged.error);
  if (merged === undefined) return csv;
  const { annotations } = csv.metadata;
  return { ...csv, metadata: { ...csv.metadata, annotations: { ...annotations, [OLM_PROPERTIES]: merged } } };
}
