import type { GrpcApi, GrpcBundle, GrpcTypedText } from '#core/catalog/load/grpc-bundle';
import type { CatalogBundle, CatalogPackage, ChannelEntry, Property } from '#core/catalog/model/catalog';
import { KIND } from '#core/kernel/api/kinds';

/** One entry of one channel with all that its api.Bundle message is made of. */
export type ServedEntry = Readonly<{
  pkg: CatalogPackage;
  channel: string;
  entry: ChannelEntry;
  bundle: CatalogBundle;
  deprecation?: string;
}>;

type Value = Readonly<Record<string, unknown>>;

/**
 * Returns an entry as ListBundles sends it: with manifests only if there is no image (spec:
 * file-based-catalogs.md §8).
 */
export function listedBundle(served: ServedEntry): GrpcBundle {
  const { entry } = served;
  const edges = { replaces: entry.replaces ?? '', skips: entry.skips ?? [] };
  return { ...light(served), ...(served.bundle.image === '' ? manifestsOf(served) : {}), ...edges };
}

/** An entry as the calls for one bundle send it: with manifests, without edges. */
export const singleBundle = (served: ServedEntry): GrpcBundle => ({ ...light(served), ...manifestsOf(served) });

export const deprecationOf = (message: string | undefined): GrpcBundle['deprecation'] =>
  message === undefined ? null : { message };

function light({ pkg, channel, entry, bundle, deprecation }: ServedEntry): GrpcBundle {
  const { properties } = bundle;
  return {
    csvName: entry.name,
    packageName: pkg.name,
    channelName: channel,
    csvJson: '',
    object: [],
    bundlePath: bundle.image,
    providedApis: providedApis(bundle),
    requiredApis: apisOf(properties, 'olm.gvk.required'),
    version: versionOf(bundle),
    skipRange: entry.skipRange ?? '',
    dependencies: properties.flatMap(dependencyOf),
    properties: properties.filter(({ type }) => !HEAVY.has(type)).map(typedText),
    replaces: '',
    skips: [],
    deprecation: deprecationOf(deprecation),
  };
}

const HEAVY: ReadonlySet<string> = new Set(['olm.bundle.object', 'olm.csv.metadata']);

const typedText = ({ type, value }: Property): GrpcTypedText => ({ type, value: JSON.stringify(value) });

const isValue = (value: unknown): value is Value => typeof value === 'object' && value !== null;
const text = (value: unknown, key: string): string => {
  const field = isValue(value) ? value[key] : undefined;
  return typeof field === 'string' ? field : '';
};

export const providedApis = ({ properties }: CatalogBundle): GrpcApi[] => apisOf(properties, 'olm.gvk');

function apisOf(properties: readonly Property[], wanted: string): GrpcApi[] {
  return properties.flatMap(({ type, value }) =>
    type === wanted
      ? [{ group: text(value, 'group'), version: text(value, 'version'), kind: text(value, 'kind'), plural: '' }]
      : [],
  );
}

function dependencyOf({ type, value }: Property): GrpcTypedText[] {
  if (type === 'olm.gvk.required') return [{ type: 'olm.gvk', value: JSON.stringify(value) }];
  if (type !== 'olm.package.required') return [];
  const dependency = { packageName: text(value, 'packageName'), version: text(value, 'versionRange') };
  return [{ type: 'olm.package', value: JSON.stringify(dependency) }];
}

const propertyValue = ({ properties }: CatalogBundle, wanted: string) =>
  properties.find(({ type }) => type === wanted)?.value;

const versionOf = (bundle: CatalogBundle) => text(propertyValue(bundle, 'olm.package'), 'version');

function manifestsOf(served: ServedEntry): Pick<GrpcBundle, 'csvJson' | 'object'> {
  const { objects } = served.bundle;
  const csv = objects.find(({ kind }) => kind === 'ClusterServiceVersion');
  if (csv !== undefined)
    return { csvJson: JSON.stringify(csv), object: objects.map((object) => JSON.stringify(object)) };
  const metadata = propertyValue(served.bundle, 'olm.csv.metadata');
  if (!isValue(metadata)) return { csvJson: '', object: objects.map((object) => JSON.stringify(object)) };
  const stub = JSON.stringify(stubCsv(served, metadata));
  return { csvJson: stub, object: [stub] };
}

/** Fields of olm.csv.metadata that are copied into the spec unchanged, if they are set. */
const COPIED = [
  'displayName',
  'installModes',
  'keywords',
  'links',
  'maintainers',
  'maturity',
  'minKubeVersion',
] as const;

/**
 * Makes a substitute ClusterServiceVersion for a bundle that carries only the metadata that a catalog shows.
 */
function stubCsv({ pkg, entry, bundle }: ServedEntry, metadata: Value): Value {
  const { annotations, labels, nativeAPIs } = metadata;
  const description = text(metadata, 'description') || (pkg.description ?? '');
  const copied = COPIED.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]] as const]));
  return {
    kind: KIND.ClusterServiceVersion.kind,
    apiVersion: KIND.ClusterServiceVersion.apiVersion,
    metadata: { name: entry.name, ...(annotations ? { annotations } : {}), ...(labels ? { labels } : {}) },
    spec: {
      install: { strategy: 'deployment', spec: { deployments: null } },
      version: versionOf(bundle),
      customresourcedefinitions: metadata['crdDescriptions'] ?? {},
      apiservicedefinitions: metadata['apiServiceDefinitions'] ?? {},
      displayName: '',
      provider: metadata['provider'] ?? {},
      ...Object.fromEntries(copied),
      ...(nativeAPIs ? { nativeAPIs } : {}),
      ...(description === '' ? {} : { description }),
      ...(pkg.icon ? { icon: [{ base64data: pkg.icon.base64data ?? '', mediatype: pkg.icon.mediatype }] } : {}),
      cleanup: { enabled: false },
      ...(bundle.relatedImages.length === 0 ? {} : { relatedImages: bundle.relatedImages }),
    },
    status: { cleanup: {} },
  };
}
