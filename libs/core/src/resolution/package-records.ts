import { byCodeUnit, canonicalHash } from '../canonical/canonical-json.js';
import type { Catalog, CatalogBundle, CatalogPackage, ChannelEntry, Property } from '../catalog/catalog.js';
import { stringFields } from './property-value.js';
import type { EntryRecord, PackageRecord } from './resolution-problem.js';

/**
 * What resolution needs of a catalog: one record per package, sorted by name. Entries without bundle and bundles without
 * entry are left out (spec: classic-resolution.md §2.1). `inlineDigestOf` names the manifests of a bundle without image.
 */
export function packageRecords(catalog: Catalog, inlineDigestOf: (bundle: CatalogBundle) => string): PackageRecord[] {
  const bundles = Map.groupBy(catalog.bundles, (bundle) => bundle.package);
  const channels = Map.groupBy(catalog.channels, (channel) => channel.package);
  const deprecations = deprecationsOf(catalog);
  return catalog.packages
    .map((pkg) => {
      const byName = new Map(bundles.get(pkg.name)?.map((bundle) => [bundle.name, bundle]));
      const messages = deprecations.get(pkg.name) ?? new Map<string, string>();
      const entries = (channels.get(pkg.name) ?? []).flatMap((channel) =>
        (channel.entries ?? []).flatMap((entry) => {
          const bundle = byName.get(entry.name);
          if (bundle === undefined) return [];
          return [entryRecord(channel.name, entry, bundle, inlineDigestOf, messages.get(`olm.bundle/${entry.name}`))];
        }),
      );
      return packageRecord(pkg, entries, messages);
    })
    .sort((a, b) => byCodeUnit(a.name, b.name));
}

/** Identity of a package record: SHA-256 of its canonical JSON, lower-case hex. */
export const recordHash = (record: PackageRecord): string => canonicalHash(record);

function packageRecord(
  pkg: CatalogPackage,
  entries: EntryRecord[],
  messages: ReadonlyMap<string, string>,
): PackageRecord {
  const deprecation = messages.get('olm.package/');
  const channelDeprecations = Object.fromEntries(
    [...messages]
      .filter(([reference]) => reference.startsWith('olm.channel/'))
      .map(([reference, message]) => [reference.slice('olm.channel/'.length), message]),
  );
  return {
    name: pkg.name,
    defaultChannel: pkg.defaultChannel,
    ...(deprecation === undefined ? {} : { deprecation }),
    ...(Object.keys(channelDeprecations).length === 0 ? {} : { channelDeprecations }),
    entries: entries.sort((a, b) => byCodeUnit(a.channel, b.channel) || byCodeUnit(a.name, b.name)),
  };
}

const HEAVY = new Set(['olm.bundle.object', 'olm.csv.metadata']);

function entryRecord(
  channel: string,
  entry: ChannelEntry,
  bundle: CatalogBundle,
  inlineDigestOf: (bundle: CatalogBundle) => string,
  deprecation: string | undefined,
): EntryRecord {
  const version = versionOf(bundle.properties);
  const light = bundle.properties.filter(({ type }) => !HEAVY.has(type));
  const hasPackage = light.some(({ type }) => type === 'olm.package');
  return {
    name: entry.name,
    channel,
    version,
    replaces: entry.replaces ?? '',
    skips: entry.skips ?? [],
    skipRange: entry.skipRange ?? '',
    properties: hasPackage
      ? light
      : [...light, { type: 'olm.package', value: { packageName: bundle.package, version } }],
    source: bundle.image === '' ? { inline: inlineDigestOf(bundle) } : { image: bundle.image },
    ...(deprecation === undefined ? {} : { deprecation }),
  };
}

function versionOf(properties: readonly Property[]): string {
  const property = properties.find(({ type }) => type === 'olm.package');
  return stringFields(property?.value ?? null, ['version'])?.version ?? '';
}

/** Per package: `olm.package/`, `olm.channel/<name>` and `olm.bundle/<name>` to their messages. */
function deprecationsOf(catalog: Catalog): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const { package: name, entries } of catalog.deprecations) {
    const messages = found.get(name) ?? new Map<string, string>();
    for (const { reference, message } of entries) {
      const named = reference.schema === 'olm.package' ? '' : reference.name;
      messages.set(`${reference.schema}/${named}`, message);
    }
    found.set(name, messages);
  }
  return found;
}
