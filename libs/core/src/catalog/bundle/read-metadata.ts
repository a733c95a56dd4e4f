import { z } from 'zod';
import { foldCase, isRecord } from '../../kernel/json/go-json.js';
import { textMapAt } from '../../kernel/json/json-access.js';
import type { BundleFile } from '../model/bundle-file.js';
import type { Property } from '../model/catalog.js';
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

const TypedValues = z
  .array(z.looseObject({ type: z.string().optional(), value: z.unknown().optional() }))
  .transform((list): Property[] => list.map(({ type, value }) => ({ type: type ?? '', value })));
const DependenciesFile = z.looseObject({ dependencies: TypedValues });
const PropertiesFile = z.looseObject({ properties: TypedValues });

export type Metadata = Readonly<{
  /** Absent when no file has any of a bundle's annotations. */
  annotations?: Readonly<Record<string, string>>;
  dependencies: readonly Property[];
  properties: readonly Property[];
  warnings: readonly string[];
}>;

/**
 * Annotations, dependencies and properties of a bundle, each from the first file, in the order of file names,
 * that has some. What cannot be read is passed over with a warning.
 */
export function readMetadata(files: readonly BundleFile[]): Metadata {
  let annotations: Readonly<Record<string, string>> | undefined;
  let dependencies: readonly Property[] = [];
  let properties: readonly Property[] = [];
  const warnings: string[] = [];
  for (const file of files) {
    const { value: written, warnings: found } = firstDocument(file);
    const value = withFoldedKeys(written);
    warnings.push(...found);
    annotations ??= bundleAnnotations(value);
    if (dependencies.length === 0) dependencies = DependenciesFile.safeParse(value).data?.dependencies ?? [];
    if (properties.length === 0) properties = PropertiesFile.safeParse(value).data?.properties ?? [];
  }
  return { ...(annotations && { annotations }), dependencies, properties, warnings };
}

/** Go's decoder matches field names without regard to case. */
const withFoldedKeys = (value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [foldCase(key), inner])) : value;

function bundleAnnotations(value: unknown): Readonly<Record<string, string>> | undefined {
  const annotations = textMapAt(value, 'annotations');
  const { package: name, channels, defaultChannel } = BUNDLE_ANNOTATION;
  return annotations[name] || annotations[channels] || annotations[defaultChannel] ? annotations : undefined;
}
