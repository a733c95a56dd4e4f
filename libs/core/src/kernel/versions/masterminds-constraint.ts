import {
  type MastermindsOperator,
  splitComparators,
  splitGroups,
  type WrittenComparator,
} from './masterminds-syntax.js';
import { parseMastermindsVersion } from './masterminds-version.js';
import { compareVersions, type Version, type VersionError } from './version.js';

/** How much of a comparator's version is left open by `x`, `X`, `*` or by saying nothing. */
type Open = 'nothing' | 'patch' | 'minor' | 'all';
type Comparator = Readonly<{ operator: MastermindsOperator; operand: Version; open: Open }>;
type Group = Readonly<{ comparators: readonly Comparator[]; takesPrereleases: boolean }>;

/**
 * A constraint of Masterminds/semver v3, as `spec.version` of a ClusterExtension holds it
 * (spec: v1-resolution.md).
 */
export type MastermindsConstraint = Readonly<{ groups: readonly Group[] }>;

/** Reads a constraint, or says in the library's words why it is none. */
export function parseMastermindsConstraint(text: string): MastermindsConstraint | VersionError {
  const split = splitGroups(text);
  if ('error' in split) return split;
  const groups: Group[] = [];
  for (const written of split.groups) {
    const group = parseGroup(written);
    if ('error' in group) return group;
    groups.push(group);
  }
  return { groups };
}

function parseGroup(text: string): Group | VersionError {
  const split = splitComparators(text);
  if ('error' in split) return split;
  const comparators: Comparator[] = [];
  for (const written of split.comparators) {
    const comparator = comparatorOf(written);
    if (comparator === undefined) return { error: 'constraint parser error' };
    comparators.push(comparator);
  }
  return { comparators, takesPrereleases: comparators.some(({ operand }) => operand.pre.length > 0) };
}

/**
 * True if the version satisfies the constraint. A pre-release satisfies only a group with a comparator that
 * names a pre-release (npm asks for the same major.minor.patch, too). Build metadata does not count.
 */
export const satisfiesConstraint = (version: Version, constraint: MastermindsConstraint): boolean =>
  constraint.groups.some(
    ({ comparators, takesPrereleases }) =>
      (takesPrereleases || version.pre.length === 0) && comparators.every((one) => RULES[one.operator](version, one)),
  );

function comparatorOf({ operator, major, minor, patch, pre }: WrittenComparator): Comparator | undefined {
  const open = openness(major, minor, patch);
  const numbers = {
    all: '0.0.0',
    minor: `${major}.0.0`,
    patch: `${major}.${minor}.0`,
    nothing: `${major}.${minor}.${patch}`,
  };
  const operand = parseMastermindsVersion(`${numbers[open]}${pre === '' ? '' : `-${pre}`}`);
  return 'error' in operand ? undefined : { operator, operand, open };
}

function openness(major: string, minor: string, patch: string): Open {
  if (isOpen(major)) return 'all';
  if (isOpen(minor)) return 'minor';
  return isOpen(patch) ? 'patch' : 'nothing';
}

const isOpen = (part: string): boolean => ['', 'x', 'X', '*'].includes(part);

type Rule = (version: Version, comparator: Comparator) => boolean;

const sameMajor: Rule = (version, { operand }) => version.major === operand.major;
const sameMinor: Rule = (version, { operand }) => version.minor === operand.minor;
const atLeast: Rule = (version, { operand }) => compareVersions(version, operand) >= 0;
const above: Rule = (version, { operand }) => compareVersions(version, operand) > 0;
const equal: Rule = (version, { operand }) => compareVersions(version, operand) === 0;

const exactOrTilde: Rule = (version, comparator) =>
  comparator.open === 'nothing' ? equal(version, comparator) : tilde(version, comparator);

/**
 * `~0.0.0` accepts every version that is not below it. So does `~x`, since the library remembers only 0.0.0.
 */
const tilde: Rule = (version, comparator) => {
  const { operand, open } = comparator;
  if (!atLeast(version, comparator)) return false;
  const zero = operand.major === 0n && operand.minor === 0n && operand.patch === 0n;
  if (zero && (open === 'nothing' || open === 'all')) return true;
  return sameMajor(version, comparator) && (open === 'minor' || sameMinor(version, comparator));
};

/** `^x` is remembered as 0.0.0, and `^0.0.z` takes that one patch only: so `^x` takes 0.0.0 alone. */
const caret: Rule = (version, comparator) => {
  const { operand, open } = comparator;
  if (!atLeast(version, comparator) || !sameMajor(version, comparator)) return false;
  if (operand.major > 0n || open === 'minor') return true;
  if (!sameMinor(version, comparator)) return false;
  return operand.minor > 0n || open === 'patch' || version.patch === operand.patch;
};

/** With an open patch, versions of that minor differ only by their pre-releases. */
const unequal: Rule = (version, comparator) => {
  const { operand, open } = comparator;
  if (open === 'nothing' || !sameMajor(version, comparator)) return !equal(version, comparator);
  if (open === 'minor') return false;
  if (!sameMinor(version, comparator)) return true;
  return open === 'patch' ? version.pre.join('.') !== operand.pre.join('.') : !equal(version, comparator);
};

const greater: Rule = (version, comparator) => {
  const { operand, open } = comparator;
  if (open === 'nothing' || open === 'all' || !sameMajor(version, comparator)) return above(version, comparator);
  return open === 'patch' && version.minor > operand.minor;
};

const atMost: Rule = (version, comparator) => {
  const { operand, open } = comparator;
  if (open === 'nothing') return !above(version, comparator);
  if (!sameMajor(version, comparator)) return version.major < operand.major;
  return open === 'minor' || version.minor <= operand.minor;
};

const RULES: Readonly<Record<MastermindsOperator, Rule>> = {
  '=': exactOrTilde,
  '!=': unequal,
  '>': greater,
  '>=': atLeast,
  '<': (version, { operand }) => compareVersions(version, operand) < 0,
  '<=': atMost,
  '~': tilde,
  '^': caret,
};
