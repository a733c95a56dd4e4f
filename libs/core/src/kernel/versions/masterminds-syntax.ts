import { goQuote } from './go-quote.js';
import type { VersionError } from './version.js';

/** Operators of the grammar by how they are written; some have two spellings. */
const OPERATORS = {
  '': '=',
  '=': '=',
  '!=': '!=',
  '>': '>',
  '<': '<',
  '>=': '>=',
  '=>': '>=',
  '<=': '<=',
  '=<': '<=',
  '~': '~',
  '~>': '~',
  '^': '^',
} as const;
export type MastermindsOperator = (typeof OPERATORS)[keyof typeof OPERATORS];

/**
 * One comparator as written: operator, and the version's parts with `x`, `X`, `*` and missing parts still in
 * it.
 */
export type WrittenComparator = Readonly<{
  operator: MastermindsOperator;
  major: string;
  minor: string;
  patch: string;
  pre: string;
}>;

const MAX_LENGTH = 512;
const MAX_GROUPS = 32;
/** Characters of Go's `\s`: fewer than JavaScript's. */
const BLANK = '[\\t\\n\\f\\r ]';
const VERSION =
  /v?(?<major>[0-9|xX*]+)(?:\.(?<minor>[0-9|xX*]+))?(?:\.(?<patch>[0-9|xX*]+))?(?:-(?<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?/;
const HYPHEN_RANGE = new RegExp(
  `${BLANK}*(?<from>${unnamed(VERSION)})${BLANK}+-${BLANK}+(?<to>${unnamed(VERSION)})${BLANK}*`,
  'g',
);

/** No two neighbours in it can take the same blank, so that a wrong text is refused in linear time. */
const COMPARATOR = new RegExp(
  `(?<between>${BLANK}*(?:,${BLANK}*)?)(?:(?<operator>[=!<>~^]+)${BLANK}*)?${VERSION.source}`,
  'y',
);

/**
 * Splits a constraint (`a || b`) into its groups, or returns the reason why the library takes none of it.
 * Bounded: 512 bytes, 32 groups.
 */
export function splitGroups(text: string): Readonly<{ groups: readonly string[] }> | VersionError {
  if (new TextEncoder().encode(text.slice(0, MAX_LENGTH + 1)).length > MAX_LENGTH) {
    return { error: `constraint string is too long (max ${MAX_LENGTH} bytes)` };
  }
  const groups = rewriteHyphenRanges(text).split('||');
  return groups.length > MAX_GROUPS ? { error: `too many constraint groups (max ${MAX_GROUPS})` } : { groups };
}

/**
 * Rewrites `a - b` to `>= a, <= b`. The library replaces the first equal text. That need not be the match.
 */
function rewriteHyphenRanges(text: string): string {
  let rewritten = text;
  for (const { 0: found, groups } of text.matchAll(HYPHEN_RANGE)) {
    rewritten = rewritten.replace(found, () => `>= ${groups?.['from']}, <= ${groups?.['to']} `);
  }
  return rewritten;
}

/**
 * Splits one group at blanks and commas into comparators. Returns an error if it is no group. Reads the text
 * once.
 */
export function splitComparators(group: string): Readonly<{ comparators: WrittenComparator[] }> | VersionError {
  const improper = { error: `improper constraint: ${goQuote(group)}` };
  const text = group.replace(/[\t\n\f\r ]+$/, '');
  const found: WrittenComparator[] = [];
  COMPARATOR.lastIndex = 0;
  while (COMPARATOR.lastIndex < text.length) {
    const parts = COMPARATOR.exec(text)?.groups;
    const operator = operatorOf(parts?.['operator'] ?? '');
    if (parts === undefined || operator === undefined) return improper;
    // The first comparator follows nothing but blanks, each other one at least one blank or comma.
    const between = parts['between'] ?? '';
    if (found.length === 0 ? between.includes(',') : between === '') return improper;
    const { major = '', minor = '', patch = '', pre = '' } = parts;
    found.push({ operator, major, minor, patch, pre });
  }
  return found.length === 0 ? improper : { comparators: found };
}

const operatorOf = (written: string): MastermindsOperator | undefined =>
  Object.entries(OPERATORS).find(([spelling]) => spelling === written)?.[1];

function unnamed(pattern: RegExp): string {
  return pattern.source.replaceAll(/\?<[a-z]+>/g, '?:');
}
