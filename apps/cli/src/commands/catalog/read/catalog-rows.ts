import { displayName } from '#core/catalog/load/light-catalog';
import type { Catalog, CatalogBundle } from '#core/catalog/model/catalog';
import { channelHeads } from '#core/catalog/model/channel-graph';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';

// The rows that `catalog packages|channels|bundles` show of a valid catalog, sorted by package, channel and
// bundle.

export type PackageRow = Readonly<{ name: string; displayName: string; defaultChannel: string }>;
export type ChannelRow = Readonly<{ package: string; channel: string; head: string }>;
export type BundleRow = Readonly<{
  package: string;
  channel: string;
  bundle: string;
  replaces: string;
  skips: readonly string[];
  skipRange: string;
  image: string;
}>;

/**
 * Packages with the display name of the head of their default channel, from its CSV or
 * from its `olm.csv.metadata`.
 */
export function packageRows(catalog: Catalog): PackageRow[] {
  const heads = new Map(channelRows(catalog).map((row) => [key(row.package, row.channel), row.head]));
  const bundles = bundlesByName(catalog);
  return catalog.packages
    .map(({ name, defaultChannel }) => {
      const head = heads.get(key(name, defaultChannel)) ?? '';
      const bundle = bundles.get(key(name, head));
      return { name, displayName: bundle === undefined ? '' : displayName(bundle), defaultChannel };
    })
    .sort((a, b) => byCodeUnit(a.name, b.name));
}

export const channelRows = (catalog: Catalog): ChannelRow[] =>
  catalog.channels
    .map((blob) => ({
      package: blob.package,
      channel: blob.name,
      head: channelHeads(blob.entries ?? [])[0] ?? '',
    }))
    .sort((a, b) => byCodeUnit(key(a.package, a.channel), key(b.package, b.channel)));

export function bundleRows(catalog: Catalog): BundleRow[] {
  const bundles = bundlesByName(catalog);
  const rows = catalog.channels.flatMap((blob) =>
    (blob.entries ?? []).map((entry) => ({
      package: blob.package,
      channel: blob.name,
      bundle: entry.name,
      replaces: entry.replaces ?? '',
      skips: entry.skips ?? [],
      skipRange: entry.skipRange ?? '',
      image: bundles.get(key(blob.package, entry.name))?.image ?? '',
    })),
  );
  return rows.sort((a, b) => byCodeUnit(key(a.package, a.channel, a.bundle), key(b.package, b.channel, b.bundle)));
}

const key = (...names: readonly string[]): string => names.join('\u0000');

const bundlesByName = (catalog: Catalog): Map<string, CatalogBundle> =>
  new Map(catalog.bundles.map((blob) => [key(blob.package, blob.name), blob]));
