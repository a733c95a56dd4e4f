import type { EntryRecord, PackageRecord } from '../../catalog/model/package-record.js';

/** An entry of a channel, with the fields by which users choose. */
export type ContentEntry = Readonly<{ name: string; version: string; deprecation?: string | undefined }>;

export type ChannelContent = Readonly<{
  name: string;
  deprecation?: string | undefined;
  /** The ClusterServiceVersion of the channel's head. Undefined if it is not available. */
  csv: unknown;
  entries: readonly ContentEntry[];
}>;

/** The content from which a PackageManifest is made. */
export type CatalogPackageContent = Readonly<{
  name: string;
  defaultChannel: string;
  deprecation?: string | undefined;
  channels: readonly ChannelContent[];
}>;

/** Entries of each channel of a package, by channel. */
export const channelsOf = ({ entries }: PackageRecord): ReadonlyMap<string, readonly EntryRecord[]> =>
  Map.groupBy(entries, ({ channel }) => channel);

/** The one entry that no other of its channel replaces or skips (spec: file-based-catalogs.md §3.2). */
export function headOf(entries: readonly EntryRecord[]): EntryRecord | undefined {
  const passed = new Set(entries.flatMap(({ replaces, skips }) => [replaces, ...skips]));
  return entries.find(({ name }) => !passed.has(name));
}

/**
 * A package with the CSVs of its channels' heads, by channel. Bundles marked
 * `olm.deprecated` are no entries (§9).
 */
export function packageContent(record: PackageRecord, heads: ReadonlyMap<string, unknown>): CatalogPackageContent {
  const { name, defaultChannel, deprecation, channelDeprecations = {} } = record;
  const deprecations = new Map(Object.entries(channelDeprecations));
  const channels = [...channelsOf(record)].map(([channel, entries]) => ({
    name: channel,
    deprecation: deprecations.get(channel),
    csv: heads.get(channel),
    entries: entries.filter(isOffered).map((entry) => ({
      name: entry.name,
      version: entry.version,
      deprecation: entry.deprecation,
    })),
  }));
  return { name, defaultChannel, deprecation, channels };
}

const isOffered = ({ properties }: EntryRecord): boolean => !properties.some(({ type }) => type === 'olm.deprecated');
