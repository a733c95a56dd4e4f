import type {
  Catalog,
  CatalogBundle,
  CatalogChannel,
  CatalogDeprecation,
  DeprecationEntry,
} from '../../catalog/model/catalog.js';
import type { ClusterExtension } from '../../kernel/api/cluster-extension.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { readSelector } from '../../kernel/labels/label-selector.js';
import type { InstalledBundle } from '../revision/installed-revision.js';
import { bundleMetadata } from './bundle-metadata.js';
import type { CatalogQuery, ExtensionCatalog, ExtensionInput, MajorUpdates } from './catalog-query.js';
import type { HeldBack } from './major-update.js';
import { type FeatureGates, type PackageContent, packageIndex } from './package-content.js';
import { type ExtensionResolution, type ResolutionFailure, resolveExtension } from './resolve-extension.js';

/** The desired state of one ClusterExtension, reduced to the input of resolution. */
export type DesiredExtension = Readonly<{
  query: CatalogQuery;
  /** Null if no bundle is installed. */
  installed: InstalledBundle | null;
  majorUpdates: MajorUpdates;
  /** Feature gates that are on and change how a catalog is read; absent if there are none. */
  gates?: FeatureGates;
}>;

/** One package of one catalog, reduced to the input of resolution. Its canonical hash is its identity. */
export type ExtensionPackage = Readonly<{
  v1: true;
  name: string;
  channels: readonly Readonly<Pick<CatalogChannel, 'name' | 'entries'>>[];
  bundles: readonly Readonly<Pick<CatalogBundle, 'name' | 'image' | 'properties'>>[];
  deprecation: readonly DeprecationEntry[] | null;
}>;

/** The package in a selected catalog: its record by hash, nothing, or the reason it cannot be read. */
export type ExtensionSlice = Readonly<{
  name: string;
  priority: number;
  record?: string;
  error?: string;
}>;

/**
 * The choice of a bundle for a ClusterExtension as a value: equal problems, of whatever
 * cluster, are solved once.
 */
export type ExtensionProblem = Readonly<{
  v: 1;
  extension: DesiredExtension;
  /** Catalogs in the order of the API's list. */
  catalogs: readonly ExtensionSlice[];
}>;

/** The chosen bundle, or why there is none. */
export type ExtensionSolution =
  | Readonly<{
      class: 'Resolved';
      bundle: InstalledBundle;
      image: string;
      catalog: string;
      deprecation: readonly DeprecationEntry[] | null;
      heldBack: HeldBack | null;
    }>
  | ResolutionFailure;

/**
 * Returns the desired bundle of an extension that has `installed`. Undefined if `spec.source` has no catalog.
 * The poller gives the feature gates; {@link isProblemOf} only compares and needs none.
 */
export function desiredExtension(
  { spec }: ClusterExtension,
  installed: InstalledBundle | undefined,
  gates: FeatureGates = {},
): DesiredExtension | undefined {
  const { catalog } = spec.source;
  if (catalog === undefined) return undefined;
  const { packageName, version, channels, selector, upgradeConstraintPolicy } = catalog;
  const query: CatalogQuery = {
    packageName,
    ...(version === undefined || version === '' ? {} : { version }),
    ...(channels === undefined || channels.length === 0 ? {} : { channels }),
    ...(selector === undefined ? {} : { selector }),
    ...(upgradeConstraintPolicy === undefined ? {} : { upgradeConstraintPolicy }),
  };
  const on = gates.BundleReleaseSupport === true ? { gates: { BundleReleaseSupport: true } } : {};
  return { query, installed: installed ?? null, majorUpdates: 'manual', ...on };
}

/**
 * True if the problem was made from this desired state. The feature gates are those of the poller, which
 * decides how catalogs are read. If an applier compared its own settings, it would treat every solution as
 * that of an older problem, and wait without end.
 */
export const isProblemOf = ({ extension }: ExtensionProblem, desired: DesiredExtension): boolean =>
  canonicalJson(withoutGates(extension)) === canonicalJson(withoutGates(desired));

const withoutGates = ({ gates: _gates, ...rest }: DesiredExtension): Omit<DesiredExtension, 'gates'> => rest;

/**
 * True if an extension asks this catalog. One with an unreadable selector asks all, and resolution reports
 * the selector.
 */
export function asksCatalog(
  { selector }: CatalogQuery,
  { labels, availabilityMode }: Pick<ExtensionCatalog, 'labels' | 'availabilityMode'>,
): boolean {
  const selects = readSelector(selector);
  return availabilityMode !== 'Unavailable' && ('error' in selects || selects(labels));
}

const READ_PROPERTIES = new Set(['olm.package', 'olm.package.required', 'olm.gvk.required', 'olm.constraint']);

/**
 * Returns the part of a catalog that resolution of one package reads. Undefined if the catalog does not have
 * the package.
 */
export function extensionPackage(name: string, catalog: Catalog): ExtensionPackage | undefined {
  const { packages, channels, bundles, deprecations } = catalog;
  if ([packages, channels, bundles, deprecations].every((blobs) => blobs.length === 0)) return undefined;
  return {
    v1: true,
    name,
    channels: channels.map(({ name, entries }) => ({ name, entries })),
    bundles: bundles.map(({ name, image, properties }) => ({
      name,
      image,
      properties: properties.filter(({ type }) => READ_PROPERTIES.has(type)),
    })),
    deprecation: deprecations[0]?.entries ?? null,
  };
}

/**
 * The record as resolution reads it. Prepare it once for all problems that name it
 * with the same feature gates.
 */
export function packageContent(record: ExtensionPackage, gates: FeatureGates): PackageContent | undefined {
  const pkg = record.name;
  const catalog: Catalog = {
    packages: [{ schema: 'olm.package', name: pkg, defaultChannel: '' }],
    channels: record.channels.map((channel) => ({ schema: 'olm.channel', package: pkg, ...channel })),
    bundles: record.bundles.map((bundle) => ({
      schema: 'olm.bundle',
      package: pkg,
      relatedImages: [],
      objects: [],
      ...bundle,
    })),
    deprecations: deprecationsOf(record),
    others: [],
  };
  return packageIndex(catalog, gates).package(pkg);
}

const deprecationsOf = ({ name, deprecation }: ExtensionPackage): CatalogDeprecation[] =>
  deprecation === null ? [] : [{ schema: 'olm.deprecations', package: name, entries: deprecation }];

/**
 * Solves a problem; `contentOf` returns the record of a hash, prepared with the feature gates of the problem.
 */
export function solveExtension(
  problem: ExtensionProblem,
  contentOf: (hash: string) => PackageContent | undefined,
): ExtensionSolution {
  return solutionOf(resolveExtension(extensionInput(problem, contentOf)), problem.extension.gates ?? {});
}

/** A problem as resolution reads it; `contentOf` as for {@link solveExtension}. */
export function extensionInput(
  { extension, catalogs }: ExtensionProblem,
  contentOf: (hash: string) => PackageContent | undefined,
): ExtensionInput {
  const { query, installed, majorUpdates } = extension;
  return {
    // Catalogs were selected already; only an unreadable selector is left to report.
    query: { ...query, selector: 'error' in readSelector(query.selector) ? query.selector : undefined },
    installed: installed ?? undefined,
    majorUpdates,
    catalogs: catalogs.map(({ name, priority, record, error }) => ({
      name,
      labels: {},
      priority,
      availabilityMode: 'Available',
      content:
        error === undefined ? { package: () => (record === undefined ? undefined : contentOf(record)) } : { error },
    })),
  };
}

/** The answer of resolution as it is kept. */
export function solutionOf(answer: ExtensionResolution, gates: FeatureGates): ExtensionSolution {
  if (answer.class !== 'Resolved') return answer;
  const { name, image, version, catalog, deprecation, heldBack } = answer;
  return {
    class: 'Resolved',
    bundle: bundleMetadata(name, version, gates),
    image,
    catalog,
    deprecation: deprecation ?? null,
    heldBack: heldBack ?? null,
  };
}
