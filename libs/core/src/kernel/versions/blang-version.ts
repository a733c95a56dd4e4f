import { goQuote } from './go-quote.js';
import { goTrim } from './go-trim.js';
import type { Version, VersionError } from './version.js';

type Parsed<T> = Readonly<{ value: T }> | VersionError;

const DIGITS = /^[0-9]*$/;
const IDENTIFIER = /^[0-9A-Za-z-]*$/;
const MAX_UINT64 = 18446744073709551615n;

/**
 * Parses strictly, as blang/semver v4 does (spec: classic-resolution.md §12):
 * `major.minor.patch[-pre][+build]` and no other form. Linear in the length of the text.
 */
export function parseVersion(text: string): Version | VersionError {
  if (text === '') return { error: 'Version string empty' };
  const firstDot = text.indexOf('.');
  const secondDot = firstDot < 0 ? -1 : text.indexOf('.', firstDot + 1);
  if (secondDot < 0) return { error: 'No Major.Minor.Patch elements found' };
  const major = parseNumber('Major', text.slice(0, firstDot));
  if ('error' in major) return major;
  const minor = parseNumber('Minor', text.slice(firstDot + 1, secondDot));
  if ('error' in minor) return minor;
  return parseTail(major.value, minor.value, text.slice(secondDot + 1));
}

function parseTail(major: bigint, minor: bigint, tail: string): Version | VersionError {
  const [beforeBuild, buildText] = splitOnce(tail, '+');
  const [patchText, preText] = splitOnce(beforeBuild, '-');
  const patch = parseNumber('Patch', patchText);
  if ('error' in patch) return patch;
  const pre: (string | bigint)[] = [];
  for (const identifier of preText?.split('.') ?? []) {
    const parsed = parsePrerelease(identifier);
    if ('error' in parsed) return parsed;
    pre.push(parsed.value);
  }
  const build = buildText?.split('.') ?? [];
  for (const identifier of build) {
    if (identifier === '') return { error: 'Build meta data is empty' };
    if (!IDENTIFIER.test(identifier)) {
      return { error: `Invalid character(s) found in build meta data ${goQuote(identifier)}` };
    }
  }
  return { major, minor, patch: patch.value, pre, build };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function parseNumber(what: 'Major' | 'Minor' | 'Patch', text: string): Parsed<bigint> {
  if (!DIGITS.test(text))
    return { error: `Invalid character(s) found in ${what.toLowerCase()} number ${goQuote(text)}` };
  if (hasLeadingZero(text)) return { error: `${what} number must not contain leading zeroes ${goQuote(text)}` };
  return parseUint64(text);
}

function parsePrerelease(text: string): Parsed<string | bigint> {
  if (text === '') return { error: 'Prerelease is empty' };
  if (DIGITS.test(text)) {
    if (hasLeadingZero(text)) {
      return { error: `Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}` };
    }
    return parseUint64(text);
  }
  if (IDENTIFIER.test(text)) return { value: text };
  return { error: `Invalid character(s) found in prerelease ${goQuote(text)}` };
}

const hasLeadingZero = (text: string): boolean => text.length > 1 && text.startsWith('0');

function parseUint64(text: string): Parsed<bigint> {
  if (text === '') return { error: 'strconv.ParseUint: parsing "": invalid syntax' };
  // 20 digits are enough for 2^64-1. Longer texts are never parsed as a number: that would cost quadratic
  // time.
  const value = text.length > 20 ? MAX_UINT64 + 1n : BigInt(text);
  return value > MAX_UINT64 ? { error: `strconv.ParseUint: parsing ${goQuote(text)}: value out of range` } : { value };
}

/**
 * Parses tolerantly: trims blanks, drops one leading `v` and leading zeros, fills missing minor and patch
 * with 0.
 */
export function parseTolerant(text: string): Version | VersionError {
  const parts = atMostThreeParts(goTrim(text).replace(/^v/, '')).map(withoutLeadingZeros);
  const last = parts.at(-1) ?? '';
  if (parts.length < 3 && /[+-]/.test(last)) {
    return { error: 'Short version cannot contain PreRelease/Build meta data' };
  }
  while (parts.length < 3) parts.push('0');
  return parseVersion(parts.join('.'));
}

function atMostThreeParts(text: string): string[] {
  const [first, rest] = splitOnce(text, '.');
  if (rest === undefined) return [first];
  const [second, third] = splitOnce(rest, '.');
  return third === undefined ? [first, second] : [first, second, third];
}

function withoutLeadingZeros(part: string): string {
  // Go counts bytes: a single character beyond ASCII is treated as a longer text.
  if (part.length <= 1 && part <= '\x7f') return part;
  const trimmed = part.replace(/^0+/, '');
  return /^[0-9]/.test(trimmed) ? trimmed : `0${trimmed}`;
}
