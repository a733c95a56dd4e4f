import type { Catalog, CatalogDeprecation, ChannelEntry, Property } from '../model/catalog.js';

/**
 * Returns a catalog of one package, the first channel its default; a bundle for every entry, its version read
 * off its name.
 */
export function sampleCatalog(
  channels: Readonly<Record<string, readonly ChannelEntry[]>>,
  more: Readonly<{
    package?: string;
    deprecations?: CatalogDeprecation['entries'];
    properties?: Readonly<Record<string, readonly Property[]>>;
    images?: Readonly<Record<string, string>>;
  }> = {},
): Catalog {
  const name = more.package ?? 'ant';
  const names = new Set(Object.values(channels).flatMap((entries) => entries.map((entry) => entry.name)));
  return {
    packages: [{ schema: 'olm.package', name, defaultChannel: Object.keys(channels)[0] ?? '' }],
    channels: Object.entries(channels).map(([channel, entries]) => ({
      schema: 'olm.channel',
      name: channel,
      package: name,
      entries,
    })),
    bundles: [...names].map((bundle) => ({
      schema: 'olm.bundle',
      name: bundle,
      package: name,
      image: more.images?.[bundle] ?? `registry.example/${bundle}`,
      properties: [
        { type: 'olm.package', value: { packageName: name, version: bundle.replace(/^[a-z]+\.v/, '') } },
        ...(more.properties?.[bundle] ?? []),
      ],
      relatedImages: [],
      objects: [],
    })),
    deprecations: more.deprecations ? [{ schema: 'olm.deprecations', package: name, entries: more.deprecations }] : [],
    others: [],
  };
}
