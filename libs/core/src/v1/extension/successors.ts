import { inRange } from '../../kernel/versions/blang-range.js';
import { parseVersion } from '../../kernel/versions/blang-version.js';
import type { Version, VersionError } from '../../kernel/versions/version.js';
import type { InstalledBundle } from '../revision/installed-revision.js';
import type { Edge, PackageBundle } from './package-content.js';
import {
  compareVersionReleases,
  parseExplicitVersion,
  parseLegacyVersion,
  type VersionRelease,
} from './version-release.js';

/** The installed bundle, its version read. `asWritten` still has the build metadata that may be a release. */
export type InstalledRelease = Readonly<{ name: string; asWritten: Version; version: VersionRelease }>;

/** Reads the installed bundle's version. The error describes its mistake. */
export function readInstalled({ name, version: text, release }: InstalledBundle): InstalledRelease | VersionError {
  const version = release === undefined ? parseLegacyVersion(text) : parseExplicitVersion(text, release);
  if ('error' in version) {
    const what = release === undefined ? 'get version and release of' : 'parse';
    const rest = release === undefined ? '' : ' version and release';
    return { error: `failed to ${what} installed bundle${rest}: ${version.error}` };
  }
  const asWritten = parseVersion(text);
  return 'error' in asWritten ? asWritten : { name, asWritten, version };
}

type Rule = (edge: Edge, installed: InstalledRelease) => boolean;

const replacesIt: Rule = ({ replaces }, { name }) => replaces === name;
const skipsIt: Rule = ({ skips }, { name }) => skips.includes(name);
const rangeCoversIt: Rule = ({ skipRange }, { asWritten }) => skipRange !== undefined && inRange(asWritten, skipRange);
const RULES = [replacesIt, skipsIt, rangeCoversIt];

/**
 * True if one edge leads from the installed bundle to this one: never more than one hop (spec:
 * v1-resolution.md, "Steps", item 4).
 */
export const isSuccessor = (
  bundle: PackageBundle,
  installed: InstalledRelease,
  channels: ReadonlySet<string>,
): boolean => bundle.edges.some((edge) => isConsidered(edge, channels) && RULES.some((rule) => rule(edge, installed)));

/** True if the bundle has the installed version and release, under any name. */
export const isInstalled = ({ version }: PackageBundle, installed: InstalledRelease): boolean =>
  !('error' in version) && compareVersionReleases(version, installed.version) === 0;

/** Edges of other channels do not count once channels are named. */
export const isConsidered = ({ channel }: Edge, channels: ReadonlySet<string>): boolean =>
  channels.size === 0 || channels.has(channel);
