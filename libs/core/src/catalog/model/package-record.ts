import { canonicalHash } from '../../kernel/canonical/canonical-json.js';
import type { Property } from './catalog.js';

/** Names a CatalogSource. */
export type CatalogKey = Readonly<{ namespace: string; name: string }>;

/** A bundle as one entry of one channel: a choice of the solver (spec: classic-resolution.md §2). */
export type EntryRecord = Readonly<{
  name: string;
  channel: string;
  version: string;
  replaces: string;
  skips: readonly string[];
  skipRange: string;
  /** All properties but olm.bundle.object and olm.csv.metadata. */
  properties: readonly Property[];
  /**
   * The source of the manifests: an image reference, or the content digest of inline manifests (`sha256:…`).
   */
  source: Readonly<{ image: string } | { inline: string }>;
  /** Deprecation messages of the bundle; channel's and package's stand in {@link PackageRecord}. */
  deprecation?: string;
}>;

/** Everything resolution needs to know of one package of one catalog. Its canonical hash is its identity. */
export type PackageRecord = Readonly<{
  name: string;
  defaultChannel: string;
  deprecation?: string;
  channelDeprecations?: Readonly<Record<string, string>>;
  entries: readonly EntryRecord[];
}>;

/** Returns the identity of a package record: SHA-256 of its canonical JSON, lower-case hex. */
export const recordHash = (record: PackageRecord): string => canonicalHash(record);
