/**
 * A semantic version, whichever grammar it was read by. Numbers reach 2^64-1, hence bigint.
 * Identifiers of `pre` are bigint when numeric; `build` never counts in comparisons.
 */
export type Version = Readonly<{
  major: bigint;
  minor: bigint;
  patch: bigint;
  pre: readonly (string | bigint)[];
  build: readonly string[];
}>;

/**
 * The error of a text that is not a version or range, in the words of the library that it was written for.
 */
export type VersionError = Readonly<{ error: string }>;

/** Returns -1, 0 or 1 by semantic versioning's precedence; build metadata does not count. */
export function compareVersions(a: Version, b: Version): -1 | 0 | 1 {
  return (
    compare(a.major, b.major) || compare(a.minor, b.minor) || compare(a.patch, b.patch) || comparePre(a.pre, b.pre)
  );
}

function compare<T extends bigint | string | number>(a: T, b: T): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparePre(a: Version['pre'], b: Version['pre']): -1 | 0 | 1 {
  if (a.length === 0 || b.length === 0) return compare(b.length === 0 ? 0 : 1, a.length === 0 ? 0 : 1);
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const order = compareIdentifiers(left, right);
    if (order !== 0) return order;
  }
  return a.length < b.length ? -1 : 0;
}

function compareIdentifiers(a: string | bigint, b: string | bigint): -1 | 0 | 1 {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? compare(a, b) : -1;
  return typeof b === 'bigint' ? 1 : compare(a, b);
}

/** Returns the canonical text, with build metadata. */
export function formatVersion(version: Version): string {
  const pre = version.pre.length === 0 ? '' : `-${version.pre.join('.')}`;
  const build = version.build.length === 0 ? '' : `+${version.build.join('.')}`;
  return `${version.major}.${version.minor}.${version.patch}${pre}${build}`;
}
