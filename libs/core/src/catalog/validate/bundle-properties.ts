import { problemText } from '../../kernel/go-types/decoded.js';
import { isDecodable } from '../../kernel/go-types/is-decodable.js';
import { structShape } from '../../kernel/go-types/type-shape.js';
import { writtenTyped } from '../../kernel/go-types/write-typed.js';
import { base64, type Decoder, GoTypeError, listOf, mismatch, struct, text } from '../../kernel/json/go-json.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { Property } from '../model/catalog.js';

/** Content of an `olm.package` property. */
export type PackageProperty = Readonly<{ packageName: string; version: string; release: string }>;

/**
 * Either all `olm.package` properties of a bundle, or the fault of the first unreadable
 * property, in opm's words.
 */
type ParsedProperties = Readonly<{ packages: readonly PackageProperty[] }> | Readonly<{ error: string }>;

/** Reads every property by its type (spec: file-based-catalogs.md §2, "Property types"). */
export function parseProperties(properties: readonly Property[]): ParsedProperties {
  const packages: PackageProperty[] = [];
  for (const [index, { type, value }] of properties.entries()) {
    try {
      if (value === undefined) throw new GoTypeError('unexpected end of JSON input');
      if (type === 'olm.package') packages.push(packageProperty(value, TOP));
      else if (Object.hasOwn(decoders, type)) decoders[type]?.(value, TOP);
    } catch (error) {
      if (!(error instanceof GoTypeError)) throw error;
      return { error: `parse property[${index}] of type ${goQuote(type)}: ${error.message}` };
    }
  }
  return { packages };
}

const TOP = { struct: '', path: '' };

/** Reads an object of texts. */
const textMap: Decoder<unknown> = (value, place) => {
  if (value === null || value === undefined) return;
  if (!isRecord(value)) throw mismatch(value, place, 'map[string]string');
  for (const item of Object.values(value)) text(item, place);
};

/** An object that may be absent. */
const optional =
  (decode: Decoder<unknown>): Decoder<unknown> =>
  (value, place) =>
    value === undefined ? undefined : decode(value, place);

const textFields = (goType: string, names: readonly string[]): Decoder<unknown> =>
  struct(goType, (field) => names.map((name) => field(name, text)));

const packageProperty: Decoder<PackageProperty> = struct('property.Package', (field) => ({
  packageName: field('packageName', text),
  version: field('version', text),
  release: field('release', text),
}));

const crdDescription = textFields('v1alpha1.CRDDescription', ['name', 'version', 'kind', 'displayName', 'description']);
const apiServiceDescription = textFields('v1alpha1.APIServiceDescription', [
  ...['name', 'group', 'version', 'kind', 'deploymentName', 'displayName', 'description'],
]);
const definitions = (goType: string, item: Decoder<unknown>, itemType: string): Decoder<unknown> =>
  struct(goType, (field) => [field('owned', listOf(item, itemType)), field('required', listOf(item, itemType))]);

const namedCsvMetadata = struct('property.CSVMetadata', (field) => [
  field('annotations', textMap),
  field('labels', textMap),
  field('description', text),
  field('displayName', text),
  field('maturity', text),
  field('minKubeVersion', text),
  field('keywords', listOf(text, 'string')),
  field('links', listOf(textFields('v1alpha1.AppLink', ['name', 'url']), 'v1alpha1.AppLink')),
  field('maintainers', listOf(textFields('v1alpha1.Maintainer', ['name', 'email']), 'v1alpha1.Maintainer')),
  field('nativeAPIs', listOf(textFields('v1.GroupVersionKind', ['group', 'version', 'kind']), 'v1.GroupVersionKind')),
  field('installModes', listOf(textFields('v1alpha1.InstallMode', ['type']), 'v1alpha1.InstallMode')),
  field('provider', optional(textFields('v1alpha1.AppLink', ['name', 'url']))),
  field(
    'crdDescriptions',
    optional(definitions('v1alpha1.CustomResourceDefinitions', crdDescription, 'v1alpha1.CRDDescription')),
  ),
  field(
    'apiServiceDefinitions',
    optional(definitions('v1alpha1.APIServiceDefinitions', apiServiceDescription, 'v1alpha1.APIServiceDescription')),
  ),
]);

/** Reads CSV metadata. Nearly every value is as opm wrote it, and the longest of its bundle. */
const csvMetadata: Decoder<unknown> = (value, place) => {
  if (isDecodable(structShape(CSV_METADATA), value)) return;
  namedCsvMetadata(value, place);
  const written = writtenTyped(CSV_METADATA, value);
  if (!written.ok) throw new GoTypeError(problemText(written.problems));
};
const CSV_METADATA = 'property.CSVMetadata';

const gvk = ['group', 'kind', 'version'];
const decoders: Readonly<Record<string, Decoder<unknown>>> = {
  'olm.gvk': textFields('property.GVK', gvk),
  'olm.gvk.required': textFields('property.GVKRequired', gvk),
  'olm.package.required': textFields('property.PackageRequired', ['packageName', 'versionRange']),
  'olm.channel': textFields('property.Channel', ['channelName']),
  'olm.bundle.object': struct('property.bundleObject', (field) => field('data', base64)),
  'olm.csv.metadata': csvMetadata,
};
