import { byCodeUnit } from '../canonical/canonical-json.js';
import type {
  Catalog,
  CatalogBundle,
  CatalogChannel,
  CatalogDeprecation,
  CatalogPackage,
  Property,
} from './catalog.js';
import { foldCase } from './go-json.js';
import { indentedJson } from './go-json-text.js';
import { goYaml } from './go-yaml-text.js';
import { recordWithSortedKeys } from './sorted-keys.js';

type Json = Readonly<Record<string, unknown>>;

/** The blobs of a catalog as JSON, one indented object after the other (spec: file-based-catalogs.md §4). */
export const catalogToJson = (catalog: Catalog): string =>
  orderedBlobs(catalog)
    .map((blob) => `${indentedJson(blob)}\n`)
    .join('');

/** The blobs of a catalog as YAML documents, keys sorted, `---` before each. */
export const catalogToYaml = (catalog: Catalog): string =>
  orderedBlobs(catalog)
    .map((blob) => `---\n${goYaml(blob)}`)
    .join('');

/**
 * By package name: package, channels, bundles, other blobs, deprecations; what belongs to no package comes last. Fields
 * stand in the order of the schema, empty optional ones are left out.
 */
export function orderedBlobs(catalog: Catalog): Json[] {
  const others = catalog.others.map((blob) => ({
    blob,
    package: textField(blob, 'package'),
    schema: textField(blob, 'schema'),
  }));
  const names = new Set([
    ...catalog.packages.map(({ name }) => name),
    ...[...catalog.channels, ...catalog.bundles, ...catalog.deprecations, ...others].map((blob) => blob.package),
  ]);
  names.delete('');
  const ofPackage = (name: string): Json[] => [
    ...catalog.packages.filter((blob) => blob.name === name).map(packageJson),
    ...catalog.channels
      .filter((blob) => blob.package === name)
      .toSorted(byName)
      .map(channelJson),
    ...catalog.bundles
      .filter((blob) => blob.package === name)
      .toSorted(byName)
      .map(bundleJson),
    ...others
      .filter((one) => one.package === name)
      .toSorted((a, b) => byCodeUnit(a.schema, b.schema))
      .map(otherJson),
    ...catalog.deprecations.filter((blob) => blob.package === name).map(deprecationJson),
  ];
  return [
    ...[...names].sort(byCodeUnit).flatMap(ofPackage),
    ...others.filter((one) => one.package === '').map(otherJson),
  ];
}

const byName = (a: { name: string }, b: { name: string }): number => byCodeUnit(a.name, b.name);

const otherJson = ({ blob }: { blob: Json }): Json => recordWithSortedKeys(blob);

/** A text field of a blob whose names may be written in any case. */
function textField(blob: Json, name: string): string {
  const key = Object.keys(blob).find((one) => foldCase(one) === name);
  const value = key === undefined ? undefined : blob[key];
  return typeof value === 'string' ? value : '';
}

/** The field, or nothing when it is empty. */
const filled = (name: string, value: string | readonly unknown[] | undefined): Json =>
  value === undefined || value.length === 0 ? {} : { [name]: value };

const propertyJson = ({ type, value }: Property): Json => ({ type, value: value ?? null });

const packageJson = (blob: CatalogPackage): Json => ({
  schema: blob.schema,
  name: blob.name,
  defaultChannel: blob.defaultChannel,
  ...(blob.icon && { icon: { base64data: blob.icon.base64data, mediatype: blob.icon.mediatype } }),
  ...filled('description', blob.description),
  ...filled('properties', blob.properties?.map(propertyJson)),
});

const channelJson = (blob: CatalogChannel): Json => ({
  schema: blob.schema,
  name: blob.name,
  package: blob.package,
  entries:
    blob.entries?.map(({ name, replaces, skips, skipRange }) => ({
      name,
      ...filled('replaces', replaces),
      ...filled('skips', skips),
      ...filled('skipRange', skipRange),
    })) ?? null,
  ...filled('properties', blob.properties?.map(propertyJson)),
});

const bundleJson = (blob: CatalogBundle): Json => ({
  schema: blob.schema,
  ...filled('name', blob.name),
  ...filled('package', blob.package),
  image: blob.image,
  ...filled('properties', blob.properties.map(propertyJson)),
  ...filled(
    'relatedImages',
    blob.relatedImages.map(({ name, image }) => ({ name, image })),
  ),
});

const deprecationJson = (blob: CatalogDeprecation): Json => ({
  schema: blob.schema,
  package: blob.package,
  entries: blob.entries.map(({ reference, message }) => ({
    reference: { schema: reference.schema, ...filled('name', reference.name) },
    message,
  })),
});
