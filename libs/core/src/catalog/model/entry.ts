import type { Range } from '../../kernel/versions/blang-range.js';
import { bundleFacts } from './bundle-facts.js';
import type { Property } from './catalog.js';
import { entryFacts, versionOrNone } from './entry-facts.js';
import type { CatalogKey, EntryRecord, PackageRecord } from './package-record.js';
import type { Candidate } from './requirement.js';

/** A choice of the solver: a channel entry of a visible catalog, or an installed CSV. */
export type Entry = Candidate &
  Readonly<{
    /**
     * The id in OLM's messages: `<catalog>/<namespace>/<channel>/<csv>`, or `@existing/<namespace>//<csv>`.
     */
    id: string;
    name: string;
    channel: string;
    replaces: string;
    skips: readonly string[];
    skipRange?: Range | undefined;
    from: CatalogEntry | InstalledEntry;
  }>;

export type CatalogEntry = Readonly<{
  kind: 'catalog';
  catalog: CatalogKey;
  defaultChannel: boolean;
  record: EntryRecord;
}>;
/** `orphan`: no Subscription names it as installed, so it must stay (spec: classic-resolution.md §3). */
type InstalledEntry = Readonly<{ kind: 'installed'; orphan: boolean }>;

/** Returns a catalog's entry of the given record (spec: classic-resolution.md §2.2). */
export function catalogEntry(catalog: CatalogKey, pkg: PackageRecord, record: EntryRecord): Entry {
  const { version, skipRange, facts } = entryFacts(record);
  const defaultChannel = record.channel === pkg.defaultChannel;
  return {
    id: `${catalog.name}/${catalog.namespace}/${record.channel}/${record.name}`,
    name: record.name,
    package: pkg.name,
    channel: record.channel,
    replaces: record.replaces,
    skips: record.skips,
    skipRange,
    version,
    properties: record.properties,
    facts,
    from: { kind: 'catalog', catalog, defaultChannel, record },
  };
}

/** Returns the entry of a CSV that is installed in the namespace. */
export function installedEntry(
  namespace: string,
  csv: Readonly<{ name: string; version: string; orphan: boolean }>,
  properties: readonly Property[],
): Entry {
  const facts = bundleFacts(properties);
  return {
    id: `@existing/${namespace}//${csv.name}`,
    name: csv.name,
    package: facts.packages.at(-1)?.name ?? '',
    channel: '',
    replaces: '',
    skips: [],
    version: versionOrNone(csv.version === '' ? '0.0.0' : csv.version),
    properties,
    facts,
    from: { kind: 'installed', orphan: csv.orphan },
  };
}
