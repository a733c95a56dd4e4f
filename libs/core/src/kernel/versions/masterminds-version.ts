import { goQuote } from './go-quote.js';
import type { Version, VersionError } from './version.js';

const MAX_LENGTH = 256;
const MAX_UINT64 = 18446744073709551615n;
const FORM =
  /^v?(?<major>[0-9]+)(?:\.(?<minor>[0-9]+))?(?:\.(?<patch>[0-9]+))?(?:-(?<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+(?<build>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/**
 * Reads a version as Masterminds/semver v3 `NewVersion` does: a leading `v`, missing minor and
 * patch and leading zeros are taken; the error is in its words. The value compares with versions
 * that blang's grammar made.
 */
export function parseMastermindsVersion(text: string): Version | VersionError {
  if (new TextEncoder().encode(text.slice(0, MAX_LENGTH + 1)).length > MAX_LENGTH)
    return { error: `version string is too long (max ${MAX_LENGTH} bytes)` };
  const found = FORM.exec(text)?.groups;
  if (found === undefined) return { error: 'invalid semantic version' };
  const numbers: bigint[] = [];
  for (const digits of [found['major'], found['minor'], found['patch']]) {
    const number = uint64(digits ?? '0');
    if (typeof number !== 'bigint') return number;
    numbers.push(number);
  }
  const [major = 0n, minor = 0n, patch = 0n] = numbers;
  const identifiers = found['pre']?.split('.') ?? [];
  if (identifiers.some((one) => /^0[0-9]+$/.test(one))) return { error: 'version segment starts with 0' };
  return { major, minor, patch, pre: identifiers.map(preIdentifier), build: found['build']?.split('.') ?? [] };
}

function uint64(digits: string): bigint | VersionError {
  const value = BigInt(digits);
  if (value <= MAX_UINT64) return value;
  return { error: `error parsing version segment: strconv.ParseUint: parsing ${goQuote(digits)}: value out of range` };
}

/**
 * Returns an identifier of a pre-release. A number beyond 2^64-1 is no number to the library: it compares as
 * text.
 */
function preIdentifier(text: string): string | bigint {
  if (!/^[0-9]+$/.test(text)) return text;
  const value = BigInt(text);
  return value > MAX_UINT64 ? text : value;
}
