import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { parseTolerant } from '../../kernel/versions/blang-version.js';
import type { VersionError } from '../../kernel/versions/version.js';
import { maxOpenShiftVersion, type OpenShiftVersion } from './max-openshift-version.js';

/** An installed operator: a CSV, or the content of a ClusterExtension. */
export type InstalledOperator = Readonly<{
  /** The name that users know: `namespace/name` of a CSV, or the name of a ClusterExtension. */
  name: string;
  annotations: Readonly<Record<string, string>>;
}>;

/** An operator that blocks the next minor version of OpenShift, and why. */
type IncompatibleOperator = Readonly<{ name: string; message: string }>;

/** The last minor version of OpenShift 4: the next one is 5.0. */
const LAST_OF_FOUR: OpenShiftVersion = { major: 4n, minor: 23n };

/**
 * The minor version that comes after a cluster's own, whatever its patch or prerelease
 * (spec: csv-lifecycle.md §12, v1-extension.md, "OpenShift gating").
 */
export function nextMinorVersion(release: string): OpenShiftVersion | VersionError {
  const current = parseTolerant(release);
  if ('error' in current) return current;
  const { major, minor } = current;
  if (major === LAST_OF_FOUR.major && minor === LAST_OF_FOUR.minor) return { major: major + 1n, minor: 0n };
  return { major, minor: minor + 1n };
}

/**
 * Returns operators that do not support the `next` minor version, or have an unreadable statement about it.
 * Unreadable ones block too, to be safe. Sorted by name, the unreadable ones first. Empty means that the
 * cluster may be upgraded.
 */
export function incompatibleOperators(
  operators: readonly InstalledOperator[],
  next: OpenShiftVersion,
): readonly IncompatibleOperator[] {
  const unreadable: IncompatibleOperator[] = [];
  const tooOld: IncompatibleOperator[] = [];
  for (const { name, annotations } of operators.toSorted((a, b) => byCodeUnit(a.name, b.name))) {
    const max = maxOpenShiftVersion(annotations);
    if (max === undefined) continue;
    if ('error' in max) {
      unreadable.push({ name, message: `${name} has invalid olm.maxOpenShiftVersion properties: ${max.error}` });
    } else if (isBefore(max, next)) {
      tooOld.push({ name, message: `maximum supported OCP version for ${name} is ${max.major}.${max.minor}` });
    }
  }
  return [...unreadable, ...tooOld];
}

const isBefore = (a: OpenShiftVersion, b: OpenShiftVersion): boolean =>
  a.major < b.major || (a.major === b.major && a.minor < b.minor);

/**
 * Message of the condition Upgradeable=False (reason IncompatibleOperatorsInstalled)
 * about operators of one kind.
 */
export const incompatibilityText = (
  kind: 'ClusterServiceVersions' | 'ClusterExtensions',
  incompatible: readonly IncompatibleOperator[],
  next: OpenShiftVersion,
): string =>
  [
    `${kind} blocking minor version upgrades to ${next.major}.${next.minor}.0:`,
    ...incompatible.map(({ message }) => `- ${message}`),
  ].join('\n');
