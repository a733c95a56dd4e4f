import { byCodeUnit } from '../canonical/canonical-json.js';
import { readBundleObjects } from './bundle-objects.js';
import type { CatalogBundle, CatalogChannel, CatalogDeprecation, CatalogPackage, Property } from './catalog.js';
import { BlobError, BlobFormError } from './catalog-load.error.js';
import { base64, type Decoder, foldCase, GoTypeError, isRecord, listOf, struct, text } from './go-json.js';
import { goJson } from './go-json-text.js';

/** A decoded blob, told apart by `kind`; every schema but OLM's four is `other` and stays as it came. */
export type DecodedBlob =
  | { kind: 'package'; blob: CatalogPackage }
  | { kind: 'channel'; blob: CatalogChannel }
  | { kind: 'bundle'; blob: CatalogBundle }
  | { kind: 'deprecation'; blob: CatalogDeprecation }
  | { kind: 'other'; blob: Readonly<Record<string, unknown>> };

/** Checks a blob's schema, package and name and reads its fields (spec: file-based-catalogs.md §1.3). Throws {@link BlobError}. */
export function decodeBlob(value: unknown): DecodedBlob {
  if (value === null) throw new BlobError("object '' is missing root schema field");
  if (!isRecord(value)) {
    const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw new BlobFormError(`json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
  }
  const schema = readMeta(value).get('schema') ?? '';
  if (schema === '') throw new BlobError(`object '${shownBlob(value)}\n' is missing root schema field`);
  switch (schema) {
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

const META_KEYS = ['schema', 'package', 'name'];

function readMeta(blob: Record<string, unknown>): Map<string, string> {
  const spellings = new Map<string, string[]>();
  for (const key of Object.keys(blob)) {
    const folded = foldCase(key);
    const known = spellings.get(folded);
    if (known) known.push(key);
    else spellings.set(folded, [key]);
  }
  rejectDuplicates(spellings);
  const meta = new Map<string, string>();
  for (const name of META_KEYS) {
    const key = spellings.get(name)?.[0];
    if (key === undefined) continue;
    const value = blob[key];
    if (typeof value !== 'string') throw new BlobFormError(notText(key, value));
    meta.set(name, value);
  }
  return meta;
}

function rejectDuplicates(spellings: ReadonlyMap<string, string[]>): void {
  const duplicates = [...spellings]
    .filter(([, keys]) => keys.length > 1)
    .map(([folded, keys]) => `duplicate keys for key "${folded}": [${keys.sort(byCodeUnit).join(' ')}]`)
    .sort(byCodeUnit);
  if (duplicates.length === 1) throw new BlobFormError(duplicates.join());
  if (duplicates.length > 1) throw new BlobFormError(`[${duplicates.join(', ')}]`);
}

/** The slip in the format (`%!t`) is opm's own. */
function notText(key: string, value: unknown): string {
  const [type, shown] = goValue(value);
  const got = type === 'bool' ? shown : `%!t(${type}=${shown})`;
  return `expected value for key "${key}" to be a string, got ${got}: ${shown}`;
}

function goValue(value: unknown): [type: string, shown: string] {
  if (typeof value === 'number') return ['float64', goJson(value)];
  if (typeof value === 'boolean') return ['bool', String(value)];
  if (value === null) return ['<nil>', '<nil>'];
  if (Array.isArray(value)) return ['[]interface {}', `[${value.map((item) => goValue(item)[1]).join(' ')}]`];
  if (!isRecord(value)) return ['string', String(value)];
  const entries = Object.keys(value).sort(byCodeUnit);
  return ['map[string]interface {}', `map[${entries.map((key) => `${key}:${goValue(value[key])[1]}`).join(' ')}]`];
}

function decode<T>(what: string, value: unknown, decoder: Decoder<T>): T {
  try {
    return decoder(value, { struct: '', path: '' });
  } catch (error) {
    if (error instanceof GoTypeError) throw new BlobError(`parse ${what}: ${error.message}`);
    throw error;
  }
}

/** A value that is absent stays undefined, which validation tells from null. */
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
  entries: field('entries', listOf(deprecationEntry, 'declcfg.DeprecationEntry')) ?? [],
}));

const reference = struct('declcfg.PackageScopedReference', (field) => ({
  schema: field('schema', text),
  name: field('name', text),
}));

const deprecationEntry = struct('declcfg.DeprecationEntry', (field) => ({
  reference: field('reference', (value, place) => reference(value ?? null, place)),
  message: field('message', text),
}));
