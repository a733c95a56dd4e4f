import { BundleError } from '../../catalog/bundle/bundle.error.js';
import { csvCrds, describeApi, providedApis } from '../../catalog/bundle/bundle-apis.js';
import { catalogBundleOf } from '../../catalog/bundle/bundle-blob.js';
import { requireOwnedCrds } from '../../catalog/bundle/read-bundle.js';
import { BUNDLE_ANNOTATION } from '../../catalog/bundle/read-metadata.js';
import type { Catalog, CatalogBundle } from '../../catalog/model/catalog.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { ConfigMapCatalogError } from './configmap-catalog.error.js';
import { configMapChannel } from './configmap-channel.js';
import { type ConfigMapPackage, readConfigMapLists } from './configmap-lists.js';

/**
 * The catalog that a ConfigMap's three keys describe, with every bundle's manifests inline: a CSV and the
 * CRDs it owns (decision 0114). It is served whole or not at all, as by OLM's configmap-server. Throws
 * {@link ConfigMapCatalogError}.
 */
export function catalogOfConfigMap(data: Readonly<Record<string, string>>): Catalog {
  const { crds, csvs, packages } = readConfigMapLists(data);
  requireEachApiOnce(crds);
  const byName = eachOnce(csvs, 'clusterServiceVersions', ({ metadata }) => metadata.name ?? '');
  eachOnce(packages, 'packages', ({ packageName }) => packageName);
  const manifests = new Map([...byName].map(([name, csv]) => [name, [csv, ...ownedCrds(csv, crds)]]));
  const channels = packages.map((one) =>
    one.channels.map((channel) => configMapChannel(one.packageName, channel, byName)),
  );
  const bundles = packages.flatMap(({ packageName }, index) => {
    const names = new Set((channels[index] ?? []).flatMap(({ entries }) => (entries ?? []).map(({ name }) => name)));
    return [...names].flatMap((name) => bundleOf(packageName, manifests.get(name) ?? []));
  });
  return {
    packages: packages.map((one) => ({
      schema: 'olm.package',
      name: one.packageName,
      defaultChannel: defaultChannelOf(one),
    })),
    channels: channels.flat(),
    bundles,
    deprecations: [],
    others: [],
  };
}

/**
 * A single channel is the default one without being named (operator-registry:
 * PackageChannel.IsDefaultChannel).
 */
function defaultChannelOf({ packageName, defaultChannel, channels }: ConfigMapPackage): string {
  const [only] = channels;
  if (channels.length === 1 && only !== undefined) return only.name;
  if (channels.some(({ name }) => name === defaultChannel)) return defaultChannel;
  throw new ConfigMapCatalogError(`no default channel specified for ${packageName}`);
}

function bundleOf(packageName: string, objects: readonly KubernetesObject[]): CatalogBundle[] {
  const [csv] = objects;
  if (csv === undefined) return [];
  const annotations = { [BUNDLE_ANNOTATION.package]: packageName };
  return [catalogBundleOf({ csv, objects, annotations, dependencies: [], properties: [], warnings: [] }, '')];
}

/** The CRDs of the ConfigMap that the CSV owns, each once however many of its versions are owned. */
function ownedCrds(csv: KubernetesObject, crds: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const owned = new Set(csvCrds(csv, 'owned').apis.map(describeApi));
  const found = crds.filter((crd) => providedApis(crd, [crd]).some((api) => owned.has(describeApi(api))));
  try {
    requireOwnedCrds(csv, [csv, ...found]);
  } catch (error) {
    throw error instanceof BundleError ? new ConfigMapCatalogError(error.message) : error;
  }
  return found;
}

function requireEachApiOnce(crds: readonly KubernetesObject[]): void {
  const seen = new Set<string>();
  for (const crd of crds) {
    for (const api of providedApis(crd, [crd]).map(describeApi)) {
      if (seen.has(api)) throw new ConfigMapCatalogError(`can't add the same CRD twice in one configmap: ${api}`);
      seen.add(api);
    }
  }
}

function eachOnce<T>(items: readonly T[], key: string, nameOf: (item: T) => string): ReadonlyMap<string, T> {
  const byName = new Map<string, T>();
  for (const item of items) {
    const name = nameOf(item);
    if (byName.has(name)) throw new ConfigMapCatalogError(`key ${key}: ${name} is listed twice`);
    byName.set(name, item);
  }
  return byName;
}
