import { catalogBundleOf } from '../../catalog/bundle/bundle-blob.js';
import { BUNDLE_ANNOTATION } from '../../catalog/bundle/read-metadata.js';
import type { Catalog, CatalogBundle, CatalogChannel } from '../../catalog/model/catalog.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { verdictLine } from '../../kernel/verdict/verdict-line.js';
import { type ListedCsv, listedCsvs } from './configmap-bundles.js';
import { ConfigMapCatalogError } from './configmap-catalog.error.js';
import { configMapChannel } from './configmap-channel.js';
import { type ConfigMapPackage, readConfigMapLists } from './configmap-lists.js';

/** A catalog, and the parts of its ConfigMap that could not be taken into it, one line each. */
export type ConfigMapContent = Readonly<{ catalog: Catalog; leftOut: readonly string[] }>;

/**
 * The catalog that a ConfigMap's three keys describe, with every bundle's manifests inline: a CSV and the
 * CRDs it owns (why: catalogs.md "ConfigMap catalogs"). OLM's configmap-server serves it whole or not at all;
 * here a bundle or package that is at fault is left out alone (why: catalogs.md "Listings lose one bundle").
 * Throws {@link ConfigMapCatalogError} if a key cannot be read, or if no package is left.
 */
export function catalogOfConfigMap(data: Readonly<Record<string, string>>): ConfigMapContent {
  const lists = readConfigMapLists(data);
  const csvs = listedCsvs(lists);
  const leftOut: string[] = [...lists.crds.unreadable, ...lists.packages.unreadable].map(({ problem }) => problem);
  leftOut.push(...lists.csvs.unreadable.flatMap(({ name, problem }) => (name === '' ? [problem] : [])));
  // OLM's loader removes a package of that name before it adds one: the last counts.
  const named = new Map(lists.packages.items.map((one) => [one.packageName, one]));
  const listed = lists.packages.items.map(({ packageName }) => packageName);
  const twice = new Set(listed.filter((name, index) => listed.indexOf(name) !== index));
  leftOut.push(...[...twice].map((name) => `key packages: ${name} is listed more than once; the last one counts`));
  const packages = [...named.values()].flatMap((one) => {
    const read = packageOf(one, csvs);
    leftOut.push(...('problem' in read ? [read.problem] : read.lost));
    return 'problem' in read ? [] : [read];
  });
  if (packages.length === 0 && leftOut.length > 0) throw new ConfigMapCatalogError(leftOut.slice(0, 3).join('; '));
  const catalog: Catalog = {
    packages: packages.map(({ name, defaultChannel }) => ({ schema: 'olm.package', name, defaultChannel })),
    channels: packages.flatMap(({ channels }) => channels),
    bundles: packages.flatMap(({ bundles }) => bundles),
    deprecations: [],
    others: [],
  };
  return { catalog, leftOut: [...new Set(leftOut)] };
}

type ReadPackage = Readonly<{
  name: string;
  defaultChannel: string;
  channels: readonly CatalogChannel[];
  bundles: readonly CatalogBundle[];
  /** Bundles that were left out, one line each. */
  lost: readonly string[];
}>;

function packageOf(
  one: ConfigMapPackage,
  csvs: ReadonlyMap<string, ListedCsv>,
): ReadPackage | Readonly<{ problem: string }> {
  const { packageName: name } = one;
  try {
    const channels = one.channels.map((channel) => configMapChannel(name, channel, csvs));
    const names = new Set(channels.flatMap(({ entries }) => (entries ?? []).map((entry) => entry.name)));
    const bundles: CatalogBundle[] = [];
    const lost: string[] = [];
    for (const bundle of names) {
      const found = csvs.get(bundle);
      if (found !== undefined && 'objects' in found) bundles.push(...bundleOf(name, found.objects));
      else lost.push(verdictLine([`package ${name}`, `bundle ${bundle}`], found?.problem ?? 'it is missing'));
    }
    const defaultChannel = defaultChannelOf(one);
    if (bundles.length === 0 && lost.length > 0) return { problem: lost.join('; ') };
    return { name, defaultChannel, channels, bundles, lost };
  } catch (error) {
    if (error instanceof ConfigMapCatalogError) return { problem: verdictLine([], error.message) };
    throw error;
  }
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
  const nothingElse = { dependencies: [], properties: [], warnings: [], refusals: [] };
  return [catalogBundleOf({ csv, objects, manifests: objects, annotations, ...nothingElse }, '')];
}
