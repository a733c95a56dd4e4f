import { base64, type Decoder, GoTypeError, listOf, struct, text } from '../../kernel/json/go-json.js';
import { goJson } from '../../kernel/json/go-json-text.js';
import type { CatalogBundle, CatalogChannel, CatalogDeprecation, CatalogPackage, Property } from '../model/catalog.js';
import { atPlace, type BlobStart, type CatalogBlob, metaOf, recordOf } from '../model/catalog-blob.js';
import { BlobError } from '../model/catalog-load.error.js';
import { readBundleObjects } from './bundle-objects.js';

/**
 * A decoded blob, distinguished by `kind`; every schema but OLM's four is `other` and stays as it came.
 * `start` is known for blobs that were read from files.
 */
export type DecodedBlob = BlobFields & Readonly<{ start?: BlobStart }>;

type BlobFields =
  | { kind: 'package'; blob: CatalogPackage }
  | { kind: 'channel'; blob: CatalogChannel }
  | { kind: 'bundle'; blob: CatalogBundle }
  | { kind: 'deprecation'; blob: CatalogDeprecation }
  | { kind: 'other'; blob: Readonly<Record<string, unknown>> };

/**
 * Checks a blob's schema, package and name and reads its fields (spec: file-based-catalogs.md §1.3).
 * Throws {@link BlobError}.
 */
export const decodeBlob = (value: unknown): DecodedBlob => decodeFields(metaOf(value).schema, recordOf(value));

/**
 * Decodes the fields of a blob of a catalog, with its place. Throws `CatalogLoadError` with the blob's place.
 */
export const decodeCatalogBlob = (blob: CatalogBlob): DecodedBlob => ({
  ...atPlace(blob, () => decodeFields(blob.schema, blob.value)),
  start: { path: blob.path, line: blob.line },
});

function decodeFields(schema: string, value: Readonly<Record<string, unknown>>): BlobFields {
  switch (schema) {
    case '':
      throw new BlobError(`object '${shownBlob(value)}\n' is missing root schema field`);
    case 'olm.package':
      return { kind: 'package', blob: decode('package', value, catalogPackage) };
    case 'olm.channel':
      return { kind: 'channel', blob: decode('channel', value, channel) };
    case 'olm.bundle':
      return { kind: 'bundle', blob: readBundleObjects(decode('bundle', value, bundle)) };
    case 'olm.deprecations':
      return { kind: 'deprecation', blob: decode('deprecation', value, deprecation) };
    default:
      return { kind: 'other', blob: value };
  }
}

/** Longest blob that is repeated in an error, in characters. */
const MAX_SHOWN = 4096;

function shownBlob(value: unknown): string {
  const text = goJson(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

function decode<T>(what: string, value: unknown, decoder: Decoder<T>): T {
  try {
    return decoder(value, { struct: '', path: '' });
  } catch (error) {
    if (error instanceof GoTypeError) throw new BlobError(`parse ${what}: ${error.message}`);
    throw error;
  }
}

/** Reads a property. An absent value stays undefined: validation distinguishes it from null. */
const property: Decoder<Property> = struct('property.Property', (field) => ({
  type: field('type', text),
  value: field('value', (value) => value),
}));
const properties = listOf(property, 'property.Property');

const icon = struct('declcfg.Icon', (field) => ({
  base64data: field('base64data', base64)?.toString('base64') ?? null,
  mediatype: field('mediatype', text),
}));

const catalogPackage: Decoder<CatalogPackage> = struct('declcfg.Package', (field) => {
  const iconOf = field('icon', (value, place) => (value === null || value === undefined ? null : icon(value, place)));
  const description = field('description', text);
  const listed = field('properties', properties);
  return {
    schema: 'olm.package',
    name: field('name', text),
    defaultChannel: field('defaultChannel', text),
    ...(iconOf && { icon: iconOf }),
    ...(description !== '' && { description }),
    ...(listed && { properties: listed }),
  };
});

const channelEntry = struct('declcfg.ChannelEntry', (field) => {
  const replaces = field('replaces', text);
  const skips = field('skips', listOf(text, 'string'));
  const skipRange = field('skipRange', text);
  return {
    name: field('name', text),
    ...(replaces !== '' && { replaces }),
    ...(skips && { skips }),
    ...(skipRange !== '' && { skipRange }),
  };
});

const channel: Decoder<CatalogChannel> = struct('declcfg.Channel', (field) => {
  const listed = field('properties', properties);
  return {
    schema: 'olm.channel',
    name: field('name', text),
    package: field('package', text),
    entries: field('entries', listOf(channelEntry, 'declcfg.ChannelEntry')),
    ...(listed && { properties: listed }),
  };
});

const relatedImage = struct('declcfg.RelatedImage', (field) => ({
  name: field('name', text),
  image: field('image', text),
}));

const bundle: Decoder<CatalogBundle> = struct('declcfg.Bundle', (field) => ({
  schema: 'olm.bundle',
  name: field('name', text),
  package: field('package', text),
  image: field('image', text),
  properties: field('properties', properties) ?? [],
  relatedImages: field('relatedImages', listOf(relatedImage, 'declcfg.RelatedImage')) ?? [],
  objects: [],
}));

const deprecation: Decoder<CatalogDeprecation> = struct('declcfg.Deprecation', (field) => ({
  schema: 'olm.deprecations',
  package: field('package', text),
  entries: field('entries', listOf(deprecationEntry, 'declcfg.DeprecationEntry')),
}));

const reference = struct('declcfg.PackageScopedReference', (field) => ({
  schema: field('schema', text),
  name: field('name', text),
}));

const deprecationEntry = struct('declcfg.DeprecationEntry', (field) => ({
  reference: field('reference', (value, place) => reference(value ?? null, place)),
  message: field('message', text),
}));
