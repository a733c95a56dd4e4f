import type { BlobStart } from './catalog-blob.js';

/**
 * A file-based catalog as loaded: blobs in load order, nothing checked beyond their shape
 * (spec: file-based-catalogs.md §2).
 */
export type Catalog = Readonly<{
  packages: readonly CatalogPackage[];
  channels: readonly CatalogChannel[];
  bundles: readonly CatalogBundle[];
  deprecations: readonly CatalogDeprecation[];
  /** Blobs of any other schema, as they came. */
  others: readonly Readonly<Record<string, unknown>>[];
  /**
   * The start of each blob, by the blob. Undefined if the catalog was not read from files, or no message
   * names places.
   */
  starts?: ReadonlyMap<object, BlobStart>;
}>;

export type CatalogPackage = Readonly<{
  schema: 'olm.package';
  name: string;
  defaultChannel: string;
  icon?: Readonly<{ base64data: string | null; mediatype: string }>;
  description?: string;
  properties?: readonly Property[];
}>;

export type CatalogChannel = Readonly<{
  schema: 'olm.channel';
  name: string;
  package: string;
  entries: readonly ChannelEntry[] | null;
  properties?: readonly Property[];
}>;

/**
 * An edge of the upgrade graph: `name` may follow `replaces`, each of `skips`, and
 * every version in `skipRange`.
 */
export type ChannelEntry = Readonly<{
  name: string;
  replaces?: string;
  skips?: readonly string[];
  skipRange?: string;
}>;

export type CatalogBundle = Readonly<{
  schema: 'olm.bundle';
  name: string;
  package: string;
  image: string;
  properties: readonly Property[];
  relatedImages: readonly Readonly<{ name: string; image: string }>[];
  /**
   * Manifests carried inline as `olm.bundle.object` properties, decoded, in property order;
   * empty for image bundles.
   */
  objects: readonly Readonly<Record<string, unknown>>[];
}>;

/**
 * A property. `written` is the value's JSON text as Go writes it. It is kept if storing the value with sorted
 * keys would change its text.
 */
export type Property = Readonly<{ type: string; value: unknown; written?: string }>;

export type CatalogDeprecation = Readonly<{
  schema: 'olm.deprecations';
  package: string;
  /** Null if the blob has none: OLM distinguishes null from an empty list when it writes the catalog. */
  entries: readonly DeprecationEntry[] | null;
}>;

export type DeprecationEntry = Readonly<{
  reference: Readonly<{ schema: string; name: string }>;
  message: string;
}>;
