import type { Catalog, CatalogBundle, ChannelEntry } from '../model/catalog.js';

/**
 * Returns the catalog with `bundle` in the place of the bundle named `base`, in every channel that holds
 * `base`. `bundle` takes over the edges of `base` and skips `base`; entries that replaced `base` replace
 * `bundle` and skip `base`; entries that skipped `base` skip `bundle` instead (spec: file-based-catalogs.md
 * §6.3).
 */
export function substitute(catalog: Catalog, base: string, bundle: CatalogBundle): Catalog {
  return {
    ...catalog,
    channels: catalog.channels.map((channel) => ({
      ...channel,
      entries: channel.entries && substituteEntries(channel.entries, base, bundle.name),
    })),
    bundles: [...catalog.bundles, bundle],
  };
}

function substituteEntries(entries: readonly ChannelEntry[], base: string, name: string): ChannelEntry[] {
  const taken = entries.filter((entry) => entry.name === base);
  return [
    ...entries.map((entry) => (entry.name === base ? { name: base } : redirected(entry, base, name))),
    ...taken.map((entry) => ({ ...entry, name, skips: [...(entry.skips ?? []), base] })),
  ];
}

function redirected(entry: ChannelEntry, base: string, name: string): ChannelEntry {
  const skips = entry.skips ?? [];
  if (entry.replaces === base) return { ...entry, replaces: name, skips: [...skips, base] };
  if (!skips.includes(base)) return entry;
  return { ...entry, skips: [...skips, name].filter((one) => one !== base) };
}
