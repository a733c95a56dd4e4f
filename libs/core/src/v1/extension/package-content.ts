import type {
  Catalog,
  CatalogBundle,
  CatalogDeprecation,
  ChannelEntry,
  DeprecationEntry,
  Property,
} from '../../catalog/model/catalog.js';
import { GoTypeError, struct, text } from '../../kernel/json/go-json.js';
import { parseRange, type Range } from '../../kernel/versions/blang-range.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { VersionError } from '../../kernel/versions/version.js';
import {
  compareVersionReleases,
  parseExplicitVersion,
  parseLegacyVersion,
  type VersionRelease,
} from './version-release.js';

/** Feature gates of OLM v1 that change how content is read; false if absent. */
export type FeatureGates = Readonly<{ BundleReleaseSupport?: boolean }>;

/** An entry of a channel, with its skipRange parsed; an invalid skipRange gives no edge. */
export type Edge = Readonly<{
  channel: string;
  replaces: string | undefined;
  skips: readonly string[];
  skipRange: Range | undefined;
}>;

/** A bundle with every field that resolution reads. */
export type PackageBundle = Readonly<{
  name: string;
  image: string;
  version: VersionRelease | VersionError;
  deprecated: boolean;
  /** Type of the first property that declares a dependency, which OLM v1 does not support. */
  dependency: string | undefined;
  edges: readonly Edge[];
}>;

/** One package of a catalog, prepared once for all resolutions that need it. */
export type PackageContent = Readonly<{
  /** Best first: bundles that are not deprecated, then by version and release, unreadable versions last. */
  bundles: readonly PackageBundle[];
  /** Entries of the first `olm.deprecations` blob: the others do not count. */
  deprecation: readonly DeprecationEntry[] | undefined;
}>;

/** A catalog's packages by name, each prepared when first asked for. */
export type PackageIndex = Readonly<{ package: (name: string) => PackageContent | undefined }>;

/** Sorts a catalog's blobs by package. Build it once for a content: it caches its results. */
export function packageIndex(catalog: Catalog, gates: FeatureGates): PackageIndex {
  const blobs = blobsByPackage(catalog);
  const prepared = new Map<string, PackageContent>();
  return {
    package: (name) => {
      const found = prepared.get(name);
      const raw = blobs.get(name);
      if (found !== undefined || raw === undefined) return found;
      const content = contentOf(raw, gates);
      prepared.set(name, content);
      return content;
    },
  };
}

type PackageBlobs = {
  readonly bundles: CatalogBundle[];
  readonly channels: Catalog['channels'][number][];
  deprecation?: CatalogDeprecation;
};

function blobsByPackage(catalog: Catalog): ReadonlyMap<string, PackageBlobs> {
  const blobs = new Map<string, PackageBlobs>();
  const of = (name: string): PackageBlobs => {
    const found = blobs.get(name) ?? { bundles: [], channels: [] };
    blobs.set(name, found);
    return found;
  };
  for (const { name } of catalog.packages) of(name);
  for (const channel of catalog.channels) of(channel.package).channels.push(channel);
  for (const bundle of catalog.bundles) of(bundle.package).bundles.push(bundle);
  for (const deprecation of catalog.deprecations) of(deprecation.package).deprecation ??= deprecation;
  return blobs;
}

function contentOf({ bundles, channels, deprecation }: PackageBlobs, gates: FeatureGates): PackageContent {
  const entries = deprecation?.entries;
  const deprecated = new Set(entries?.filter(({ reference }) => reference.schema === 'olm.bundle').map(nameOf));
  const edges = new Map<string, Edge[]>();
  for (const { name: channel, entries: inChannel } of channels) {
    for (const entry of inChannel ?? []) {
      const known = edges.get(entry.name);
      if (known === undefined) edges.set(entry.name, [edgeOf(channel, entry)]);
      else known.push(edgeOf(channel, entry));
    }
  }
  const prepared = bundles.map(({ name, image, properties }) => ({
    name,
    image,
    version: versionOf(name, properties, gates),
    deprecated: deprecated.has(name),
    dependency: properties.find(({ type }) => DEPENDENCIES.has(type))?.type,
    edges: edges.get(name) ?? [],
  }));
  return { bundles: prepared.sort(bestFirst), deprecation: entries ?? undefined };
}

const nameOf = ({ reference }: DeprecationEntry): string => reference.name;

const DEPENDENCIES: ReadonlySet<string> = new Set(['olm.package.required', 'olm.gvk.required', 'olm.constraint']);

function edgeOf(channel: string, { replaces, skips, skipRange }: ChannelEntry): Edge {
  const range = skipRange === undefined || skipRange === '' ? undefined : parseRange(skipRange);
  return {
    channel,
    replaces,
    skips: skips ?? [],
    skipRange: range === undefined || 'error' in range ? undefined : range,
  };
}

/**
 * Orders bundles best first (spec: v1-resolution.md §5). Stable, so that of equals the first in the catalog
 * wins.
 */
function bestFirst(a: PackageBundle, b: PackageBundle): number {
  if (a.deprecated !== b.deprecated) return a.deprecated ? 1 : -1;
  if ('error' in a.version || 'error' in b.version) return Number('error' in a.version) - Number('error' in b.version);
  return compareVersionReleases(b.version, a.version);
}

/** Only the first `olm.package` property counts (spec: v1-resolution.md, "Versions and releases"). */
function versionOf(name: string, properties: readonly Property[], gates: FeatureGates): VersionRelease | VersionError {
  const said = properties.find(({ type }) => type === 'olm.package');
  if (said === undefined) return { error: `no package property found in bundle ${goQuote(name)}` };
  const read = readPackageValue(said.value);
  if ('error' in read) return { error: `error unmarshalling package property: ${read.error}` };
  return gates.BundleReleaseSupport === true && read.release !== undefined
    ? parseExplicitVersion(read.version, read.release)
    : parseLegacyVersion(read.version);
}

const packageValue = struct('property.Package', (field) => ({
  packageName: field('packageName', text),
  version: field('version', text),
  release: field('release', (value, place) => (value === undefined || value === null ? undefined : text(value, place))),
}));

function readPackageValue(value: unknown): Readonly<{ version: string; release: string | undefined }> | VersionError {
  try {
    return packageValue(value, { struct: '', path: '' });
  } catch (error) {
    if (error instanceof GoTypeError) return { error: error.message };
    throw error;
  }
}
