import { releaseProblem } from '../../catalog/validate/release.js';
import { parseVersion } from '../../kernel/versions/blang-version.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { compareVersions, formatVersion, type Version, type VersionError } from '../../kernel/versions/version.js';

/** Identifiers between the dots of a release; empty if the release is given as empty. */
type Release = Version['pre'];

/**
 * A bundle's version and, separately, its release (spec: v1-resolution.md, "Versions and releases").
 * `release` is absent if none was given; both that and an empty one are lower than any other release.
 */
export type VersionRelease = Readonly<{ version: Version; release?: Release }>;

/** The version as registry+v1 bundles write it: build metadata that could be a release is the release. */
export function parseLegacyVersion(text: string): VersionRelease | VersionError {
  const version = parseVersion(text);
  if ('error' in version) return version;
  const release = parseRelease(version.build.join('.'));
  return release === undefined || release.length === 0 ? { version } : { version: { ...version, build: [] }, release };
}

/** Parses a version and a release that are given separately: build metadata is then left unchanged. */
export function parseExplicitVersion(text: string, releaseText: string): VersionRelease | VersionError {
  const version = parseVersion(text);
  if ('error' in version) return { error: `error parsing version ${goQuote(text)}: ${version.error}` };
  const release = parseRelease(releaseText);
  if (release !== undefined) return { version, release };
  return { error: `error parsing release ${goQuote(releaseText)}: ${releaseProblem(releaseText)}` };
}

/** Returns a release's identifiers. Empty for an empty text, undefined for an invalid release. */
function parseRelease(text: string): Release | undefined {
  if (text === '') return [];
  if (releaseProblem(text) !== undefined) return;
  // A release has the form of a pre-release and is compared like one.
  const parsed = parseVersion(`0.0.0-${text}`);
  return 'error' in parsed ? undefined : parsed.pre;
}

/** -1, 0 or 1: by version, then by release. */
export function compareVersionReleases(a: VersionRelease, b: VersionRelease): -1 | 0 | 1 {
  return compareVersions(a.version, b.version) || compareReleases(a.release ?? [], b.release ?? []);
}

function compareReleases(a: Release, b: Release): -1 | 0 | 1 {
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 0 : a.length === 0 ? -1 : 1;
  const asVersion = (pre: Release): Version => ({ major: 0n, minor: 0n, patch: 0n, pre, build: [] });
  return compareVersions(asVersion(a), asVersion(b));
}

/** Returns the release as text; absent if none was given. */
export const formatRelease = ({ release }: VersionRelease): string | undefined => release?.join('.');

/**
 * The version as status.install.bundle shows it without a field for the release: the release
 * is build metadata again.
 */
export const formatLegacyVersion = ({ version, release = [] }: VersionRelease): string =>
  formatVersion(release.length === 0 ? version : { ...version, build: release.map(String) });
