import { foldCase } from '../../kernel/json/go-json.js';
import { isRecord, textMapAt } from '../../kernel/json/json-access.js';
import { typeProblem } from '../../kernel/verdict/read-foreign.js';
import { verdictLine } from '../../kernel/verdict/verdict-line.js';
import type { BundleFile } from '../model/bundle-file.js';
import type { Property } from '../model/catalog.js';
import { metadataItems } from './metadata-items.js';
import { firstDocument } from './read-manifests.js';

const PREFIX = 'operators.operatorframework.io.bundle.';
/** Annotation keys of a bundle, also the labels of its image (spec: file-based-catalogs.md §5.1). */
export const BUNDLE_ANNOTATION = {
  mediatype: `${PREFIX}mediatype.v1`,
  manifests: `${PREFIX}manifests.v1`,
  metadata: `${PREFIX}metadata.v1`,
  package: `${PREFIX}package.v1`,
  channels: `${PREFIX}channels.v1`,
  defaultChannel: `${PREFIX}channel.default.v1`,
} as const;

export type Metadata = Readonly<{
  /** Absent when no file has any of a bundle's annotations. */
  annotations?: Readonly<Record<string, string>>;
  dependencies: readonly Property[];
  properties: readonly Property[];
  warnings: readonly string[];
  /** Items with values that opm refuses, one line each. */
  refusals: readonly string[];
}>;

/**
 * Reads annotations, dependencies and properties of a bundle, each from the first file, in the order of file
 * names, that has some. Unreadable parts are skipped with a warning.
 */
export function readMetadata(files: readonly BundleFile[]): Metadata {
  let annotations: Readonly<Record<string, string>> | undefined;
  const lists: Record<ListName, readonly Property[]> = { dependencies: [], properties: [] };
  const warnings: string[] = [];
  const refusals: string[] = [];
  for (const file of files) {
    const { value: written, warnings: found } = firstDocument(file);
    const value = withFoldedKeys(written);
    warnings.push(...found);
    const passOver = (problem: string) => warnings.push(verdictLine([`${file.path}: skipped`], problem));
    const wrong = annotationProblem(value);
    if (wrong !== undefined) passOver(wrong);
    else annotations ??= bundleAnnotations(value);
    for (const list of LISTS) {
      if (lists[list].length > 0) continue;
      const read = metadataItems(list, value);
      if (read === undefined) continue;
      if ('problem' in read) passOver(read.problem);
      else {
        lists[list] = read.items;
        refusals.push(...read.refusals.map((refusal) => verdictLine([file.path], refusal)));
      }
    }
  }
  return { ...(annotations && { annotations }), ...lists, warnings, refusals };
}

type ListName = 'dependencies' | 'properties';
const LISTS: readonly ListName[] = ['dependencies', 'properties'];

/** Folds the names of fields: Go's decoder matches them without regard to case. */
const withFoldedKeys = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [foldCase(key), inner])) : value;

/** The annotations that opm reads into text. It skips a file if one of them has another type. */
const TYPED = [BUNDLE_ANNOTATION.package, BUNDLE_ANNOTATION.channels, BUNDLE_ANNOTATION.defaultChannel];

function annotationProblem(value: unknown): string | undefined {
  const written = isRecord(value) ? (value['annotations'] ?? {}) : {};
  if (!isRecord(written)) return `annotations ${typeProblem(written, 'a map')}`;
  const wrong = TYPED.find((key) => typeof (written[key] ?? '') !== 'string');
  return wrong === undefined ? undefined : `annotation ${wrong} ${typeProblem(written[wrong])}`;
}

function bundleAnnotations(value: unknown): Readonly<Record<string, string>> | undefined {
  const annotations = textMapAt(value, 'annotations');
  const { package: name, channels, defaultChannel } = BUNDLE_ANNOTATION;
  return annotations[name] || annotations[channels] || annotations[defaultChannel] ? annotations : undefined;
}
