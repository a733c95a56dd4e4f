import { type MastermindsConstraint, satisfiesConstraint } from '../../kernel/versions/masterminds-constraint.js';
import type { PackageBundle } from './package-content.js';
import { type InstalledRelease, isConsidered, isInstalled, isSuccessor } from './successors.js';

/** True if a bundle may be chosen, by one of the criteria of an extension. */
export type CandidateRule = (bundle: PackageBundle) => boolean;

/**
 * Accepts bundles in one of the channels. The rule is only made when channels are named: without, membership
 * plays no part.
 */
export const inAnyChannel =
  (channels: ReadonlySet<string>): CandidateRule =>
  ({ edges }) =>
    edges.some((edge) => isConsidered(edge, channels));

/** The version without its release satisfies the constraint; an unreadable version satisfies none. */
export const inVersionRange =
  (constraint: MastermindsConstraint): CandidateRule =>
  ({ version }) =>
    !('error' in version) && satisfiesConstraint(version.version, constraint);

/** Accepts bundles one hop from the installed one, and the installed bundle itself. */
export const reachableFrom =
  (installed: InstalledRelease, channels: ReadonlySet<string>): CandidateRule =>
  (bundle) =>
    isSuccessor(bundle, installed, channels) || isInstalled(bundle, installed);

/**
 * Accepts bundles of the installed major version; 0.x counts as one (why: extensions.md "No automatic major
 * updates").
 */
export const sameMajorAs =
  ({ asWritten: { major } }: InstalledRelease): CandidateRule =>
  ({ version }) =>
    !('error' in version) && version.version.major === major;

/** Accepts a bundle if all rules hold. */
export const all =
  (rules: readonly CandidateRule[]): CandidateRule =>
  (bundle) =>
    rules.every((rule) => rule(bundle));
