import { Buffer } from 'node:buffer';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { goJson } from '../../kernel/json/go-json-text.js';
import { recordAt, recordsAt, textAt } from '../../kernel/json/json-access.js';
import { withSortedKeys } from '../../kernel/json/sorted-keys.js';
import type { CatalogBundle, Property } from '../model/catalog.js';
import { BundleError } from './bundle.error.js';
import type { Bundle } from './bundle.js';
import { type BundleApi, providedApis, requiredApis } from './bundle-apis.js';
import { csvMetadata } from './csv-metadata.js';
import { BUNDLE_ANNOTATION } from './read-metadata.js';
import { TYPED_ITEM_FORM, untypedItems } from './untyped-items.js';

/**
 * Returns the `olm.bundle` blob of a bundle at `image` (empty when it has none), as `opm render` makes it:
 * properties by type and value, the manifests as `olm.bundle.object` (spec: file-based-catalogs.md §5.1).
 * Throws {@link BundleError} if a property or dependency has no type: opm would write it without type and
 * value, and no rule would ever match it. The same applies to values that opm refuses.
 */
export function catalogBundleOf(bundle: Bundle, image: string): CatalogBundle {
  const [untyped] = untypedItems(bundle);
  if (untyped !== undefined) throw new BundleError(`${untyped} of the bundle's metadata has no type`, TYPED_ITEM_FORM);
  const [refusal] = bundle.metadataRefusals ?? [];
  if (refusal !== undefined) throw new BundleError(refusal, 'opm does not render such a bundle');
  const objects = bundle.manifests.map(withoutEmptyApiVersion);
  return {
    schema: 'olm.bundle',
    name: bundle.csv.metadata.name ?? '',
    package: bundle.annotations[BUNDLE_ANNOTATION.package] ?? '',
    image,
    properties: [...sortedProperties(describedProperties(bundle)), ...sortedProperties(objects.map(objectProperty))],
    relatedImages: relatedImages(bundle.csv, image),
    objects,
  };
}

/**
 * Applies opm's migration `bundle-object-to-csv-metadata`: an `olm.csv.metadata` property replaces the
 * manifests. A bundle without image, without CSV or with that property already stays as it is (spec:
 * file-based-catalogs.md §5).
 */
export function withCsvMetadata(bundle: CatalogBundle): CatalogBundle {
  const csv = bundle.objects.find((object): object is KubernetesObject => object['kind'] === 'ClusterServiceVersion');
  const migrated = bundle.properties.some(({ type }) => type === 'olm.csv.metadata');
  if (bundle.image === '' || csv === undefined || migrated) return bundle;
  const kept = bundle.properties.filter(({ type }) => type !== 'olm.bundle.object');
  return { ...bundle, properties: [...kept, { type: 'olm.csv.metadata', value: csvMetadata(csv) }], objects: [] };
}

/** Returns all properties except the manifests themselves, in no particular order. */
function describedProperties(bundle: Bundle): Property[] {
  const annotated = annotatedProperties(bundle.csv);
  const given = distinct([...bundle.properties.map(asWritten), ...annotated]);
  const unmet = requiredApis(bundle.csv).apis;
  return [
    given.findLast(({ type }) => type === 'olm.package') ?? packageProperty(bundle),
    ...distinct([
      ...given.filter(({ type }) => type === 'olm.gvk'),
      ...providedApis(bundle.csv, bundle.objects).map((api) => gvkProperty('olm.gvk', api)),
    ]),
    ...distinct([
      ...bundle.dependencies.filter(({ type }) => type === 'olm.gvk').map(({ value }) => requiredGvk(value)),
      ...unmet.map((api) => gvkProperty('olm.gvk.required', api)),
    ]),
    ...bundle.dependencies.filter(({ type }) => type === 'olm.package').map(({ value }) => requiredPackage(value)),
    ...bundle.dependencies.filter(({ type }) => type !== 'olm.gvk' && type !== 'olm.package').map(asWritten),
    ...given.filter(({ type }) => type !== 'olm.package' && type !== 'olm.gvk'),
  ];
}

/**
 * Returns a property from a YAML file as opm writes it: opm turns the value to JSON, with its keys in order.
 */
const asWritten = ({ type, value }: Property): Property => ({ type, value: withSortedKeys(value) });

function packageProperty({ csv, annotations }: Bundle): Property {
  const release = recordAt(csv, 'spec')['release'];
  const hasRelease = (typeof release === 'string' && release !== '') || typeof release === 'number';
  return {
    type: 'olm.package',
    value: {
      packageName: annotations[BUNDLE_ANNOTATION.package] ?? '',
      version: textAt(csv, 'spec', 'version'),
      ...(hasRelease && { release: String(release) }),
    },
  };
}

const gvkProperty = (type: string, { group, kind, version }: BundleApi): Property => ({
  type,
  value: { group, kind, version },
});

const requiredGvk = (value: unknown): Property => ({
  type: 'olm.gvk.required',
  value: { group: textAt(value, 'group'), kind: textAt(value, 'kind'), version: textAt(value, 'version') },
});

const requiredPackage = (value: unknown): Property => ({
  type: 'olm.package.required',
  value: { packageName: textAt(value, 'packageName'), versionRange: textAt(value, 'version') },
});

/** Returns the list in the CSV's annotation `olm.properties`. A broken one is skipped, as opm does. */
function annotatedProperties(csv: KubernetesObject): Property[] {
  const text = csv.metadata.annotations?.['olm.properties'];
  if (text === undefined) return [];
  try {
    const list: unknown = JSON.parse(text);
    return recordsAt({ list }, 'list').map((item) => ({ type: textAt(item, 'type'), value: item['value'] }));
  } catch {
    return [];
  }
}

function objectProperty(object: Readonly<Record<string, unknown>>): Property {
  const escaped = goJson(object).replaceAll(/[<>&]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`);
  return { type: 'olm.bundle.object', value: { data: Buffer.from(escaped).toString('base64') } };
}

function withoutEmptyApiVersion(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (object['apiVersion'] !== '') return object;
  const { apiVersion: _, ...rest } = object;
  return rest;
}

/**
 * Returns the images that the CSV lists, then the bundle's own image and the containers' images that it does
 * not list.
 */
function relatedImages(csv: KubernetesObject, image: string): CatalogBundle['relatedImages'] {
  const listed = recordsAt(csv, 'spec', 'relatedImages').map((one) => ({
    name: textAt(one, 'name'),
    image: textAt(one, 'image'),
  }));
  const known = new Set(listed.map((one) => one.image));
  const further = [image, ...containerImages(csv)].filter((one) => one !== '' && !known.has(one));
  return [...listed, ...[...new Set(further)].map((one) => ({ name: '', image: one }))].sort((a, b) =>
    byCodeUnit(a.image, b.image),
  );
}

/**
 * Returns the images of the Deployments. Only the install strategy `deployment` exists; any other gives none.
 */
function containerImages(csv: KubernetesObject): string[] {
  if (textAt(csv, 'spec', 'install', 'strategy') !== 'deployment') return [];
  return recordsAt(csv, 'spec', 'install', 'spec', 'deployments').flatMap((deployment) => {
    const pod = recordAt(deployment, 'spec', 'template', 'spec');
    const containers = [...recordsAt(pod, 'containers'), ...recordsAt(pod, 'initContainers')];
    return containers.map((container) => textAt(container, 'image'));
  });
}

const sortKey = ({ type, value }: Property): string => `${type}\u0000${goJson(value)}`;

function sortedProperties(properties: readonly Property[]): Property[] {
  const keyed = properties.map((property) => ({ key: sortKey(property), property }));
  return keyed.sort((a, b) => byCodeUnit(a.key, b.key)).map(({ property }) => property);
}

const distinct = (properties: readonly Property[]): Property[] => [
  ...new Map(properties.map((property) => [sortKey(property), property])).values(),
];
