import { CSV_API } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { type DecodeProblem, problemText } from '../../kernel/go-types/decoded.js';
import { readAnyway } from '../../kernel/go-types/read-typed.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { typeProblem } from '../../kernel/verdict/read-foreign.js';
import { verdictLine } from '../../kernel/verdict/verdict-line.js';
import type { BundleFile } from '../model/bundle-file.js';
import { BlobError } from '../model/catalog-load.error.js';
import { readStream } from '../read/blob-stream.js';
import { ByteWindow } from '../read/bytes/byte-window.js';
import { BundleError } from './bundle.error.js';
import { csvProblems } from './csv-problems.js';

/**
 * True for a file name with the ending of a manifest. opm tries files of any name. If it cannot read one, the
 * warning depends on the ending.
 */
const isManifestName = (path: string): boolean => /\.(?:ya?ml|json)$/i.test(path);
const NO_MANIFEST = 'no manifest: keep files other than .yaml, .yml and .json out of the bundle';

/** The content of one file: its first document, and warnings about the rest. */
type FirstDocument = Readonly<{ value: unknown; warnings: readonly string[] }>;

/**
 * Reads the first document of a JSON or YAML file. Its value is undefined for an empty or unreadable file,
 * with the reason as a warning.
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
    if (!isManifestName(path)) return { value: undefined, warnings: [`${path}: skipped: ${NO_MANIFEST}`] };
    const line = error.line === undefined ? '' : `:${error.line}`;
    return { value: undefined, warnings: [`${path}${line}: skipped: ${error.olmText}`] };
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
  /** The objects as they are written, in the same order. */
  manifests: readonly Readonly<Record<string, unknown>>[];
  warnings: readonly string[];
  /** Metadata of the wrong type in objects that opm carries along all the same. */
  refusals: readonly string[];
}>;

/**
 * Reads the manifests among `files`: one object per file, in the order of file names. Of several CSVs only
 * the first is kept. Throws {@link BundleError} if opm refuses the bundle for one of them.
 */
export function readManifests(files: readonly BundleFile[]): Manifests {
  const found: Found[] = [];
  const paths = new Map<KubernetesObject, string>();
  const warnings: string[] = [];
  const refusals: string[] = [];
  let csvPath: string | undefined;
  for (const file of files) {
    const document = firstDocument(file);
    warnings.push(...document.warnings);
    if (document.value === undefined) continue;
    const read = readManifest(document.value);
    if ('problem' in read) {
      warnings.push(passedOver(file.path, document.value, read.problem));
      continue;
    }
    const { kind, apiVersion } = read.object;
    if (apiVersion === '') warnings.push(`${file.path}: no apiVersion: no cluster will accept this`);
    if (kind === CSV_API.kind) {
      if (csvPath !== undefined) {
        warnings.push(`${file.path}: skipped: ${csvPath} already has the ClusterServiceVersion`);
        continue;
      }
      csvPath = file.path;
    }
    found.push(read);
    paths.set(read.object, file.path);
    refusals.push(...refusalsOf(file.path, read));
  }
  return {
    objects: found.map(({ object }) => object),
    paths,
    manifests: found.map(({ written }) => written),
    warnings,
    refusals,
  };
}

function passedOver(path: string, document: unknown, problem: string): string {
  if (document === null && isManifestName(path)) return `${path}: the file is empty`;
  const why = isManifestName(path) ? `not a Kubernetes object: ${problem}` : NO_MANIFEST;
  return verdictLine([`${path}: skipped`], why);
}

type Found = Readonly<{
  object: KubernetesObject;
  written: Readonly<Record<string, unknown>>;
  problems: readonly DecodeProblem[];
}>;

/**
 * Returns a document as an object with typed metadata, or the reason why it is none: opm insists on a kind
 * alone.
 */
function readManifest(document: unknown): Found | Readonly<{ problem: string }> {
  if (!isRecord(document)) return { problem: `it ${typeProblem(document, 'a map')}` };
  const { kind, apiVersion, metadata } = document;
  if (kind === undefined || kind === null || kind === '') return { problem: 'it has no kind' };
  if (typeof kind !== 'string') return { problem: `kind ${typeProblem(kind)}` };
  const written = { ...document, apiVersion: apiVersion ?? '', metadata: metadata ?? {} };
  const { value, problems } = readAnyway<KubernetesObject>('Object', written);
  return {
    object: { ...value, apiVersion: value.apiVersion ?? '', metadata: value.metadata ?? {} },
    written,
    problems,
  };
}

/** Fields of a CSV that opm reads into types of its own when it renders a bundle. */
const RENDERED =
  /^(?:apiVersion|kind|metadata|spec$|spec\.(?:version|release|install|relatedImages|(?:customresource|apiservice)definitions))\b/;

/**
 * Returns refusals for metadata that no API server takes. Throws {@link BundleError} for fields that opm
 * itself refuses.
 */
function refusalsOf(path: string, { object, written, problems }: Found): string[] {
  const { kind, metadata } = object;
  const isCsv = kind === CSV_API.kind;
  const fatal = isCsv ? csvProblems(written).find(({ field }) => RENDERED.test(field)) : problems[0];
  if (fatal === undefined) return [];
  if (isCsv || kind === CRD_KIND) {
    throw new BundleError(`${path}: ${kind} ${metadata.name ?? ''}`, problemText([fatal]));
  }
  return [verdictLine([path, `${kind} ${metadata.name ?? ''}`], problemText(problems))];
}

const CRD_KIND = 'CustomResourceDefinition';
