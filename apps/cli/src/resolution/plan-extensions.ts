import { dump } from 'js-yaml';
import { CLUSTER_CATALOG_API, ClusterCatalog } from '#core/api/cluster-catalog';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/api/cluster-extension';
import type { Catalog } from '#core/catalog/catalog';
import { CATALOG_NAME_LABEL, type ExtensionCatalog } from '#core/extension/cluster-extension';
import { EXTENSION_GATES, extensionWishes } from '#core/extension/extension-problem';
import { heldBackText } from '#core/extension/major-update';
import { packageIndex } from '#core/extension/package-content';
import { type ExtensionResolution, resolveExtension } from '#core/extension/resolve-extension';
import { formatLegacyVersion } from '#core/extension/version-release';
import { UsageError } from '../io.js';
import type { CatalogOption } from './catalog-option.js';
import type { PlanFormat } from './print-plan.js';
import type { Manifest } from './read-manifests.js';

/** What a ClusterExtension has and would get, or why it would get nothing. */
export type ExtensionPlan = Readonly<{
  extension: string;
  /** Version of status.install.bundle; absent where nothing is installed. */
  installed?: string;
  bundle?: string;
  version?: string;
  image?: string;
  catalog?: string;
  /** A version that is not taken by itself, and how to take it. */
  note?: string;
  error?: string;
}>;

const isExtension = ({ object }: Manifest): boolean =>
  object.kind === CLUSTER_EXTENSION_API.kind && object.apiVersion === CLUSTER_EXTENSION_API.apiVersion;

/** The next bundle of every ClusterExtension of the manifests, as the hub would choose it; sorted as they are given. */
export function planExtensions(
  manifests: readonly Manifest[],
  options: readonly CatalogOption[],
  contents: readonly Catalog[],
): ExtensionPlan[] {
  const catalogs = options.map((option, at) => extensionCatalog(option, manifests, contents[at]));
  return manifests.filter(isExtension).map(({ object, where }) => {
    const read = ClusterExtension.safeParse(object);
    const installed = read.data?.status?.install?.bundle;
    const wishes = read.data && extensionWishes(read.data, installed);
    if (wishes === undefined) {
      throw new UsageError(
        `${where}: not a usable ClusterExtension; spec.namespace and spec.source.catalog are needed`,
      );
    }
    const { query, majorUpdates } = wishes;
    const resolution = resolveExtension({ query, installed, catalogs, majorUpdates });
    const extension = object.metadata.name ?? '';
    return { extension, ...(installed === undefined ? {} : { installed: installed.version }), ...planOf(resolution) };
  });
}

function planOf(resolution: ExtensionResolution): Omit<ExtensionPlan, 'extension'> {
  if (resolution.class !== 'Resolved') return { error: resolution.error };
  const { name: bundle, version, image, catalog, heldBack } = resolution;
  const note = heldBack === undefined ? {} : { note: heldBackText(heldBack) };
  return { bundle, version: formatLegacyVersion(version), image, catalog, ...note };
}

/** The ClusterCatalog of that name says its labels, and its priority where the option does not. */
function extensionCatalog(
  { name, priority }: CatalogOption,
  manifests: readonly Manifest[],
  content: Catalog | undefined,
): ExtensionCatalog {
  const found = manifests.find(
    ({ object }) => object.kind === CLUSTER_CATALOG_API.kind && object.metadata.name === name,
  );
  const catalog = found && ClusterCatalog.safeParse(found.object).data;
  return {
    name,
    labels: { ...catalog?.metadata.labels, [CATALOG_NAME_LABEL]: name },
    priority: priority ?? catalog?.spec.priority ?? 0,
    availabilityMode: catalog?.spec.availabilityMode ?? 'Available',
    content:
      content === undefined
        ? { error: `catalog "${name}" is not being served` }
        : packageIndex(content, EXTENSION_GATES),
  };
}

/** The plans as they are shown. */
export function printExtensionPlans(plans: readonly ExtensionPlan[], format: PlanFormat): string {
  if (format === 'json') return `${JSON.stringify(plans, undefined, 2)}\n`;
  if (format === 'yaml') return dump(plans, { lineWidth: -1 });
  return plans.map((plan) => `${sentenceOf(plan)}\n`).join('');
}

function sentenceOf({ extension, installed, bundle, version, image, catalog, note, error }: ExtensionPlan): string {
  const has = installed === undefined ? '' : ` (installed: ${installed})`;
  if (error !== undefined) return `${extension}${has}: nothing: ${error}`;
  const verb = installed === undefined ? 'installs' : installed === version ? 'stays at' : 'goes to';
  const more = note === undefined ? '' : `\n  ${note}`;
  return `${extension}${has}: ${verb} ${bundle} ${version} from catalog ${catalog}\n  image ${image}${more}`;
}
