import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { compareVersions, type Version } from '../../kernel/versions/version.js';
import { packageRecords } from '../load/package-records.js';
import type { Catalog } from '../model/catalog.js';
import { CatalogView, type EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';
import type { PackageRecord } from '../model/package-record.js';

/** One package's channels as the resolver sees them; the default channel first, then by name. */
export type UpgradeGraph = Readonly<{ record: PackageRecord; channels: readonly EntryGroup[] }>;

/**
 * Returns the upgrade graphs of all packages, by name; entries without a bundle are left out, as the resolver
 * does.
 */
export function upgradeGraphs(catalog: Catalog): ReadonlyMap<string, UpgradeGraph> {
  const records = packageRecords(catalog, ({ name }) => name);
  return new Map(records.map((record) => [record.name, graphOf(record)]));
}

/** Returns the upgrade graph of one package. Returns undefined if the catalog has no such package. */
export function upgradeGraph(catalog: Catalog, packageName: string): UpgradeGraph | undefined {
  return upgradeGraphs({
    packages: catalog.packages.filter(({ name }) => name === packageName),
    channels: catalog.channels.filter((blob) => blob.package === packageName),
    bundles: catalog.bundles.filter((blob) => blob.package === packageName),
    deprecations: catalog.deprecations.filter((blob) => blob.package === packageName),
    others: [],
  }).get(packageName);
}

/** Returns the upgrade graph of a package as its record has it. */
export const graphOf = (record: PackageRecord): UpgradeGraph => ({
  record,
  channels: new CatalogView({ name: '', namespace: '' }, 0, false, [record]).groups,
});

/** The facts of an installed operator that decide its possible upgrades. */
export type Installed = Readonly<{ name: string; version?: Version | undefined }>;

/**
 * Compares versions, the newest first; of equal versions the later name first. A total order within a
 * channel.
 */
export const newestFirst = (a: Installed, b: Installed): number => byVersion(b, a) || byCodeUnit(b.name, a.name);

/** Compares versions, the oldest first; an entry without version is older than any. */
export function byVersion(a: Installed, b: Installed): number {
  if (a.version === undefined || b.version === undefined) {
    return Number(a.version !== undefined) - Number(b.version !== undefined);
  }
  return compareVersions(a.version, b.version);
}

/** Returns the text of an entry's version as its bundle gives it. */
export const versionText = ({ from }: Entry): string => (from.kind === 'catalog' ? from.record.version : '');

/** Returns the text of an entry's skipRange, or the empty text if it has none. */
export const skipRangeText = ({ from }: Entry): string => (from.kind === 'catalog' ? from.record.skipRange : '');

/** Returns the message of a deprecated bundle. */
export const deprecationOf = ({ from }: Entry): string | undefined =>
  from.kind === 'catalog' ? from.record.deprecation : undefined;
