import { textAt } from '../../kernel/json/json-access.js';
import { parseVersion } from '../../kernel/versions/blang-version.js';
import { compareVersions, type Version } from '../../kernel/versions/version.js';
import type { CatalogBundle } from '../model/catalog.js';
import { parseProperties } from '../validate/bundle-properties.js';
import { releaseProblem } from '../validate/release.js';

/** The order key of bundles. `release` has the form of a pre-release and is empty if there is none. */
export type TemplateVersion = Readonly<{ version: Version; release: Version['pre'] }>;

/**
 * Returns version and release of a bundle (spec: file-based-catalogs.md §3.3), or the reason why it has none.
 * If the bundle's CSV names the bundle that it substitutes, the build metadata of its version is the release.
 */
export function versionReleaseOf(bundle: CatalogBundle): TemplateVersion | Readonly<{ error: string }> {
  const parsed = parseProperties(bundle.properties);
  if ('error' in parsed) return parsed;
  const [said] = parsed.packages;
  if (said === undefined || parsed.packages.length > 1) {
    return { error: `must be exactly one property with type "olm.package", found ${parsed.packages.length}` };
  }
  const version = parseVersion(said.version);
  if ('error' in version) return version;
  const substitutes = said.release === '' && version.build.length > 0 && saysWhatItSubstitutes(bundle);
  return withRelease(version, substitutes ? version.build.join('.') : said.release);
}

function withRelease(version: Version, release: string): TemplateVersion | Readonly<{ error: string }> {
  if (release === '') return { version, release: [] };
  const problem = releaseProblem(release);
  if (problem !== undefined) return { error: problem };
  const parsed = parseVersion(`0.0.0-${release}`);
  return 'error' in parsed ? parsed : { version, release: parsed.pre };
}

function saysWhatItSubstitutes({ objects, properties }: CatalogBundle): boolean {
  const csv = objects.find(({ kind }) => kind === 'ClusterServiceVersion');
  const metadata = properties.find(({ type }) => type === 'olm.csv.metadata')?.value;
  return [textAt(csv, 'metadata', 'annotations', SUBSTITUTES), textAt(metadata, 'annotations', SUBSTITUTES)].some(
    (name) => name !== '',
  );
}

const SUBSTITUTES = 'olm.substitutesFor';

/** Compares by version, then by release: none comes before any. */
export function compareVersionReleases(a: TemplateVersion, b: TemplateVersion): -1 | 0 | 1 {
  const byVersion = compareVersions(a.version, b.version);
  if (byVersion !== 0) return byVersion;
  if (a.release.length === 0 || b.release.length === 0) {
    return a.release.length === b.release.length ? 0 : a.release.length === 0 ? -1 : 1;
  }
  return compareVersions(asPrerelease(a.release), asPrerelease(b.release));
}

const asPrerelease = (pre: Version['pre']): Version => ({ major: 0n, minor: 0n, patch: 0n, pre, build: [] });
