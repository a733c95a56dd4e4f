import type {
  Catalog,
  CatalogBundle,
  CatalogChannel,
  CatalogDeprecation,
  CatalogPackage,
  ChannelEntry,
} from '../model/catalog.js';

/** The blobs of one package, found by name. */
export type PackageParts = Readonly<{
  blob: CatalogPackage;
  channels: ReadonlyMap<string, ReadonlyMap<string, ChannelEntry>>;
  bundles: ReadonlyMap<string, CatalogBundle>;
  /** Messages by the deprecated item: `package`, `channel <name>` or `bundle <name>`. */
  deprecations: ReadonlyMap<string, string>;
}>;

/** Returns a valid catalog's packages by name. */
export function packageParts(catalog: Catalog): ReadonlyMap<string, PackageParts> {
  const channels = Map.groupBy(catalog.channels, (blob) => blob.package);
  const bundles = Map.groupBy(catalog.bundles, (blob) => blob.package);
  const deprecations = Map.groupBy(catalog.deprecations, (blob) => blob.package);
  return new Map(
    catalog.packages.map((blob) => [
      blob.name,
      {
        blob,
        channels: new Map((channels.get(blob.name) ?? []).map((channel) => [channel.name, entriesOf(channel)])),
        bundles: new Map((bundles.get(blob.name) ?? []).map((bundle) => [bundle.name, bundle])),
        deprecations: messagesOf(deprecations.get(blob.name) ?? []),
      },
    ]),
  );
}

const entriesOf = ({ entries }: CatalogChannel): Map<string, ChannelEntry> =>
  new Map((entries ?? []).map((entry) => [entry.name, entry]));

const messagesOf = (blobs: readonly CatalogDeprecation[]): Map<string, string> =>
  new Map(
    blobs
      .flatMap(({ entries }) => entries ?? [])
      .map(({ reference: { schema, name }, message }) => [`${schema.replace('olm.', '')} ${name}`.trim(), message]),
  );
