const UNIT_NS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const NS_IN_MS = 1e6;
/** Nanoseconds of the longest negative duration; the longest positive one has one less. */
const LONGEST_NS = 1n << 63n;

/** Milliseconds, or why the text is no duration, in the words of Go's `time.ParseDuration`. */
type ParsedDuration = Readonly<{ ms: number } | { error: string }>;

/** A number with the unit behind it; either may be missing. */
const PART = /(?<whole>[0-9]*)(?:\.(?<fraction>[0-9]*))?(?<unit>[^0-9.]*)/y;

/**
 * Reads a Go duration such as `15m`, `1h30m` or `1.5s`, the form of OLM's flags, annotations and poll
 * intervals. A bare `0` is allowed, a missing unit is not. Each error is Go's.
 */
export function parseGoDuration(text: string): ParsedDuration {
  const sign = text.startsWith('-') ? -1 : 1;
  const total = nanoseconds(text.replace(/^[+-]/, ''), sign < 0 ? LONGEST_NS : LONGEST_NS - 1n);
  if (typeof total === 'string') return { error: `time: ${total} duration ${quoted(text)}` };
  return { ms: total === 0n ? 0 : (sign * Number(total)) / NS_IN_MS };
}

/** Returns the nanoseconds of a text without a sign, or the error in it. */
function nanoseconds(text: string, longest: bigint): bigint | string {
  if (text === '0') return 0n;
  if (text === '') return INVALID;
  let total = 0n;
  for (let at = 0; at < text.length; at = PART.lastIndex) {
    PART.lastIndex = at;
    const part = partNs(PART.exec(text)?.groups ?? {});
    if (typeof part === 'string') return part;
    total += part;
    if (total > LONGEST_NS) return INVALID;
  }
  return total > longest ? INVALID : total;
}

const INVALID = 'invalid';

function partNs({ whole = '', fraction = '', unit = '' }: Readonly<Record<string, string>>): bigint | string {
  const value = BigInt(whole);
  if ((whole === '' && fraction === '') || value > LONGEST_NS) return INVALID;
  if (unit === '') return 'missing unit in';
  const unitNs = Object.hasOwn(UNIT_NS, unit) ? UNIT_NS[unit] : undefined;
  if (unitNs === undefined) return `unknown unit ${quoted(unit)} in`;
  return value > LONGEST_NS / unitNs ? INVALID : value * unitNs + fractionNs(fraction, unitNs);
}

/** Go reads the digits that fit an int64, and cuts off less than a nanosecond. */
function fractionNs(digits: string, unitNs: bigint): bigint {
  let [value, scale] = [0n, 1];
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > (LONGEST_NS - 1n) / 10n || next > LONGEST_NS) break;
    [value, scale] = [next, scale * 10];
  }
  return BigInt(Math.trunc(Number(value) * (Number(unitNs) / scale)));
}

/** The last character of ASCII. */
const DELETE = '\u007f';

/** Quotes as Go does in these errors: bytes in place of characters that are not printable ASCII. */
function quoted(text: string): string {
  const shown = [...text].map((character) => {
    if (character >= ' ' && character <= DELETE) return character.replace(/["\\]/, '\\$&');
    return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  });
  return `"${shown.join('')}"`;
}

/** Returns a duration in whole nanoseconds as Go writes it: `1h0m0s`, `1.5s`, `300ms`. */
export function formatGoDuration(ms: number): string {
  if (ms === 0) return '0s';
  if (ms < 0) return `-${formatGoDuration(-ms)}`;
  if (ms < 1e-3) return `${Math.round(ms * 1e6)}ns`;
  if (ms < 1) return `${Math.round(ms * 1e6) / 1e3}µs`;
  if (ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${(ms - minutes * 60_000) / 1000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}
