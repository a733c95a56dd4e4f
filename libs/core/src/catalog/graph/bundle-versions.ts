import { parseVersion } from '../../kernel/versions/blang-version.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { Version } from '../../kernel/versions/version.js';
import type { CatalogBundle } from '../model/catalog.js';
import { parseProperties } from '../validate/bundle-properties.js';

/** Versions by bundle name, or why one bundle has none, in opm's words. */
type BundleVersions = Readonly<{ versions: ReadonlyMap<string, Version> }> | Readonly<{ error: string }>;

/**
 * Returns the version of every bundle, by its bare name. Of several bundles with one name the first counts,
 * as for opm's graph (spec: file-based-catalogs.md §7). Every bundle needs exactly one readable version.
 */
export function bundleVersions(bundles: readonly CatalogBundle[]): BundleVersions {
  const versions = new Map<string, Version>();
  for (const bundle of bundles) {
    if (versions.has(bundle.name)) continue;
    const version = versionOf(bundle);
    if ('error' in version) return version;
    versions.set(bundle.name, version);
  }
  return { versions };
}

function versionOf({ name, properties }: CatalogBundle): Version | Readonly<{ error: string }> {
  const parsed = parseProperties(properties);
  if ('error' in parsed) return { error: `parse properties for bundle ${goQuote(name)}: ${parsed.error}` };
  const [said] = parsed.packages;
  if (said === undefined || parsed.packages.length > 1) {
    return { error: `bundle ${goQuote(name)} has multiple "olm.package" properties, expected exactly 1` };
  }
  const version = parseVersion(said.version);
  if (!('error' in version)) return version;
  return { error: `bundle ${goQuote(name)} has invalid version ${goQuote(said.version)}: ${version.error}` };
}

/** The version that opm assumes for an entry without bundle. */
export const NO_VERSION: Version = { major: 0n, minor: 0n, patch: 0n, pre: [], build: [] };
