/** A number as go-yaml reads it. The type decides if it may be a key, and how it is written there. */
export type YamlNumber =
  | Readonly<{ type: 'int' | 'uint64'; value: bigint }>
  | Readonly<{ type: 'float'; value: number }>;

const PREFIXED_INT = /^([-+]?)0(?:([xX][0-9a-fA-F]+)|[oO]?([0-7]+)|([bB][01]+))$/;
const DECIMAL_INT = /^([-+]?)(0|[1-9][0-9]*)$/;
/** Binary with a sign behind the prefix. go-yaml accepts it too. */
const SIGNED_BINARY = /^0b([-+])([01]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const DOT_FLOAT = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * Returns the number that a scalar stands for: YAML 1.1 without sexagesimals. Returns undefined for other
 * text.
 */
export function numberOf(source: string): YamlNumber | undefined {
  const plain = source.includes('_') ? source.replaceAll('_', '') : source;
  // A float that begins with a dot may hold underscores between digits; other numbers may, anywhere.
  if (source.startsWith('.')) return DOT_FLOAT.test(source) ? floatOf(plain) : undefined;
  return integerOf(plain) ?? (FLOAT.test(plain) ? floatOf(plain) : undefined);
}

function floatOf(source: string): YamlNumber | undefined {
  const value = Number(source);
  return Number.isFinite(value) ? { type: 'float', value } : undefined;
}

function integerOf(plain: string): YamlNumber | undefined {
  const [, sign, decimal] = DECIMAL_INT.exec(plain) ?? [];
  if (decimal !== undefined) return sized(sign, decimal);
  const prefixed = PREFIXED_INT.exec(plain);
  if (prefixed !== null) {
    const [, before, hexadecimal, octal, binary] = prefixed;
    return sized(before, octal === undefined ? `0${hexadecimal ?? binary}` : `0o${octal}`);
  }
  const [, within, digits] = SIGNED_BINARY.exec(plain) ?? [];
  return digits === undefined ? undefined : sized(within, `0b${digits}`);
}

/** Returns undefined if the integer is too wide. One that has a sign has 63 bits. */
function sized(sign: string | undefined, digits: string): YamlNumber | undefined {
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  if (value < MIN_INT64 || value > (sign === '' ? MAX_UINT64 : MAX_INT64)) return undefined;
  return { type: value > MAX_INT64 ? 'uint64' : 'int', value };
}

/** Writes a float in the fewest digits that give its 32 bits, in Go's format `g`. */
export function float32Text(value: number): string {
  const narrow = Math.fround(value);
  if (!Number.isFinite(narrow)) return Number.isNaN(narrow) ? '.nan' : narrow < 0 ? '-.inf' : '.inf';
  if (narrow === 0) return Object.is(narrow, -0) ? '-0' : '0';
  const [digits = '', power = '0'] = fewestDigits(narrow).split('e');
  const exponent = Number(power);
  // A number of at most six digits before the point, and none below 0.0001, is written without an exponent.
  if (exponent >= -4 && exponent < 6) return String(Number(`${digits}e${exponent}`));
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function fewestDigits(narrow: number): string {
  const texts = Array.from({ length: 10 }, (_, count) => narrow.toExponential(count));
  return texts.find((text) => Math.fround(Number(text)) === narrow) ?? String(narrow);
}
