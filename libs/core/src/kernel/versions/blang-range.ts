import { parseVersion } from './blang-version.js';
import { goQuote } from './go-quote.js';
import { goTrim } from './go-trim.js';
import { compareVersions, type Version, type VersionError } from './version.js';

type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=';
type Comparator = Readonly<{ operator: Operator; operand: Version }>;

/**
 * A version range of blang/semver v4: any of the alternatives, all comparators of it
 * (spec: classic-resolution.md §12).
 */
export type Range = Readonly<{ alternatives: readonly (readonly Comparator[])[] }>;

/**
 * Parses a range, or says in blang's words why it is none: of several reasons the one that blang finds first.
 * A text that would crash blang later is an error here.
 */
export function parseRange(text: string): Range | VersionError {
  const split = splitAlternatives(words(text));
  if ('error' in split) return split;
  const expanded: string[][] = [];
  for (const alternative of split.value) {
    const plain = expandWildcards(alternative);
    if ('error' in plain) return plain;
    expanded.push(plain.value);
  }
  const alternatives: Comparator[][] = [];
  for (const alternative of expanded) {
    const comparators = parseComparators(alternative);
    if ('error' in comparators) return comparators;
    alternatives.push(comparators.value);
  }
  // blang accepts an empty alternative and then calls a nil function when the ones before it are false.
  if (alternatives.some((comparators) => comparators.length === 0)) {
    return { error: "Nothing stands between two '||' in the range" };
  }
  return { alternatives };
}

/**
 * True if the version lies in the range. Pre-releases are ordinary versions; build metadata does not count.
 */
export const inRange = (version: Version, range: Range): boolean =>
  range.alternatives.some((comparators) => comparators.every((comparator) => holds(comparator, version)));

function holds({ operator, operand }: Comparator, version: Version): boolean {
  const order = compareVersions(version, operand);
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
  }
}

/** Splits at blanks, but not after `>`, `<`, `=`; words of one byte are lost, as in blang. */
function words(text: string): string[] {
  const found: string[] = [];
  const take = (word: string) => {
    if (word.length > 1 || word > '\x7f') found.push(word.replaceAll(' ', ''));
  };
  let start = 0;
  let lastChar = '';
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char !== ' ') lastChar = char;
    else if (!['>', '<', '='].includes(lastChar)) {
      take(text.slice(start, i));
      start = i + 1;
    }
  }
  take(text.slice(start));
  return found;
}

function splitAlternatives(all: readonly string[]): Readonly<{ value: string[][] }> | VersionError {
  if (all[0] === '||') return { error: "First element in range is '||'" };
  if (all.length === 0 || all.at(-1) === '||') return { error: "Last element in range is '||'" };
  const alternatives: string[][] = [[]];
  for (const word of all) {
    if (word === '||') alternatives.push([]);
    else alternatives.at(-1)?.push(word);
  }
  return { value: alternatives };
}

function splitOperator(word: string): readonly [operator: string, version: string] | undefined {
  const at = word.search(/\p{Nd}/u);
  return at < 0 ? undefined : [goTrim(word.slice(0, at)), word.slice(at)];
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  '': '=',
  '=': '=',
  '==': '=',
  '!': '!=',
  '!=': '!=',
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
};

function parseComparators(alternative: readonly string[]): Readonly<{ value: Comparator[] }> | VersionError {
  const comparators: Comparator[] = [];
  for (const word of alternative) {
    const comparator = parseComparator(word);
    if ('error' in comparator) return comparator;
    comparators.push(comparator);
  }
  return { value: comparators };
}

function parseComparator(word: string): Comparator | VersionError {
  const split = splitOperator(word);
  if (split === undefined) return withoutVersion(word);
  const [operatorText, versionText] = split;
  const whole = goQuote(operatorText + versionText);
  const operator = Object.hasOwn(OPERATORS, operatorText) ? OPERATORS[operatorText] : undefined;
  if (operator === undefined) {
    return rangeError(word, `Could not parse comparator ${goQuote(operatorText)} in ${whole}`);
  }
  const operand = parseVersion(versionText);
  if ('error' in operand) {
    return rangeError(word, `Could not parse version ${goQuote(versionText)} in ${whole}: ${operand.error}`);
  }
  return { operator, operand };
}

const rangeError = (word: string, cause: string): VersionError => ({
  error: `Could not parse Range ${goQuote(word)}: ${cause}`,
});

/** Expands any word with an `x` in it, a pre-release like `next.1` too: that is why `=1.0.0-next.1` fails. */
function expandWildcards(alternative: readonly string[]): Readonly<{ value: string[] }> | VersionError {
  const expanded: string[] = [];
  for (const word of alternative) {
    const split = splitOperator(word);
    if (!word.includes('x')) expanded.push(word);
    else if (split === undefined) return withoutVersion(word);
    else expanded.push(...expandWildcard(...split));
  }
  return { value: expanded };
}

const withoutVersion = (word: string): VersionError => ({
  error: `Could not get version from string: ${goQuote(word)}`,
});

function expandWildcard(operator: string, version: string): string[] {
  const floor = wildcardFloor(version);
  const ceiling = () => wildcardCeiling(version, floor);
  switch (operator) {
    case '>':
      return [`>=${ceiling()}`];
    case '>=':
    case '<':
      return [`${operator}${floor}`];
    case '<=':
      return [`<${ceiling()}`];
    case '':
    case '=':
    case '==':
      return [`>=${floor}`, `<${ceiling()}`];
    case '!':
    case '!=':
      return [`<${floor}`, `>=${ceiling()}`];
    default:
      return [floor];
  }
}

function wildcardFloor(version: string): string {
  const floor = version.replace('.x.x', '.x').replace('.x', '.0');
  return floor.split('.').length === 2 ? `${floor}.0` : floor;
}

/**
 * Returns the next minor after `1.2.x`, the next major after `1.x`. Returns the empty text, which fails to
 * parse, if there is none.
 */
function wildcardCeiling(version: string, floor: string): string {
  const parts = version.split('.');
  if (parts.at(-1) !== 'x') return '';
  const counted = parts.length === 3 ? 1 : parts.length === 2 ? 0 : undefined;
  if (counted === undefined) return '';
  const numbers = floor.split('.');
  const next = incremented(numbers[counted] ?? '');
  if (next === undefined) return '';
  numbers[counted] = next;
  return numbers.join('.');
}

/**
 * Adds one as Go's int does: the highest number is followed by the lowest. Returns undefined if the text is
 * no such number.
 */
function incremented(text: string): string | undefined {
  const [, sign, digits = ''] = /^([+-]?)0*([0-9]*)$/.exec(text) ?? [];
  if (sign === undefined || !/[0-9]$/.test(text) || digits.length > 19) return;
  const number = BigInt(digits) * (sign === '-' ? -1n : 1n);
  return BigInt.asIntN(64, number) === number ? String(BigInt.asIntN(64, number + 1n)) : undefined;
}
