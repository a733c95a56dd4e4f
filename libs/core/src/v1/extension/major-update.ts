import { goQuote } from '../../kernel/versions/go-quote.js';
import { type MastermindsConstraint, satisfiesConstraint } from '../../kernel/versions/masterminds-constraint.js';
import { formatVersion } from '../../kernel/versions/version.js';
import { type CandidateRule, sameMajorAs } from './candidate-rules.js';
import type { MajorUpdates } from './catalog-query.js';
import type { PackageBundle, PackageContent } from './package-content.js';
import type { InstalledRelease } from './successors.js';
import { compareVersionReleases, formatLegacyVersion, type VersionRelease } from './version-release.js';

/** A version that would have been taken but for its major number, and the one that is installed. */
export type HeldBack = Readonly<{ version: string; installed: string }>;

/**
 * The rule that keeps an extension on its major version, if it applies. It does not apply when the range
 * excludes the installed version and no bundle of the installed major is in it: then the range asks for
 * another major version (why: extensions.md "No automatic major updates"). The installed version is checked
 * first, so that the rule stays in force when the catalog with the installed major is deleted, pruned, set
 * Unavailable or no longer selected.
 */
export function majorRule(
  mode: MajorUpdates,
  installed: InstalledRelease,
  constraint: MastermindsConstraint | undefined,
  packages: readonly PackageContent[],
): CandidateRule | undefined {
  if (mode === 'follow') return;
  const sameMajor = sameMajorAs(installed);
  if (constraint === undefined || allowsInstalled(constraint, installed)) return sameMajor;
  const couldStay = packages.some(({ bundles }) =>
    bundles.some((bundle) => sameMajor(bundle) && isIn(constraint, bundle)),
  );
  return couldStay ? sameMajor : undefined;
}

/**
 * A pre-release counts as the version that it leads to: most ranges accept no pre-release by its own name.
 */
const allowsInstalled = (constraint: MastermindsConstraint, { asWritten }: InstalledRelease): boolean =>
  [asWritten, { ...asWritten, pre: [] }].some((version) => satisfiesConstraint(version, constraint));

const isIn = (constraint: MastermindsConstraint, { version }: PackageBundle): boolean =>
  !('error' in version) && satisfiesConstraint(version.version, constraint);

/** The highest of the versions held back. */
export function highest(bundles: readonly PackageBundle[], installed: InstalledRelease): HeldBack | undefined {
  const versions = bundles.flatMap(({ version }): VersionRelease[] => ('error' in version ? [] : [version]));
  const [first] = versions.sort((a, b) => compareVersionReleases(b, a));
  if (first === undefined) return;
  return { version: formatVersion(first.version), installed: formatLegacyVersion(installed.version) };
}

/** Returns a sentence for the Progressing condition: the bundle that is held back, and how to get it. */
export const heldBackText = ({ version, installed }: HeldBack): string =>
  `Version ${goQuote(version)} is held back: it is of another major version than the installed ${goQuote(installed)}. ` +
  `To install it, set spec.source.catalog.version to ${goQuote(version)}.`;
