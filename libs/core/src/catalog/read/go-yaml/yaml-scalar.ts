import { Buffer } from 'node:buffer';
import { replacedText } from '../bytes/utf8-text.js';
import { YamlError } from './yaml.error.js';
import type { ScalarNode } from './yaml-node.js';
import { float32Text, numberOf, type YamlNumber } from './yaml-number.js';
import { isTimestamp } from './yaml-timestamp.js';

/** A value of a scalar as go-yaml resolves it. */
export type YamlScalar = null | boolean | string | YamlNumber;

const FLOATS: readonly (readonly [number, readonly string[]])[] = [
  [Number.NaN, ['.nan', '.NaN', '.NAN']],
  [Number.POSITIVE_INFINITY, ['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF']],
  [Number.NEGATIVE_INFINITY, ['-.inf', '-.Inf', '-.INF']],
];
const NAMED: ReadonlyMap<string, YamlScalar> = new Map<string, YamlScalar>([
  ...['', '~', 'null', 'Null', 'NULL'].map((name) => [name, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((name) => [name, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((name) => [name, false] as const),
  ...FLOATS.flatMap(([value, names]) => names.map((name) => [name, { type: 'float', value }] as const)),
]);

const NUMBER_START = /^[-+.0-9]/;

/** Returns the value of a plain scalar without a tag: a name, a number, or its text. */
export function plainScalar(source: string): YamlScalar {
  const value = NAMED.get(source);
  if (value !== undefined) return value;
  return NUMBER_START.test(source) ? (numberOf(source) ?? source) : source;
}

const SMALL_INT = /^(?:0|[1-9][0-9]{0,14})$/;

/** The same as JSON has it. Returns undefined for a merge key, and for a number that JSON does not have. */
export function plainValue(source: string): string | number | boolean | null | undefined {
  if (source === '<<') return undefined;
  if (SMALL_INT.test(source)) return Number(source);
  const value = plainScalar(source);
  if (value === null || typeof value !== 'object') return value;
  const number = Number(value.value);
  return Number.isFinite(number) ? number : undefined;
}

const CORE = 'tag:yaml.org,2002:';
export const MERGE_TAG = `${CORE}merge`;

/** Returns the value of a scalar. Throws YamlError if it is not of the type that its tag names. */
export function scalarOf(node: ScalarNode): YamlScalar {
  const { tag, value } = node;
  if (tag === '') return node.isImplicit ? plainScalar(value) : value;
  switch (tag) {
    case `${CORE}bool`:
    case `${CORE}int`:
    case `${CORE}float`:
    case `${CORE}null`:
      return typed(node, tag.slice(CORE.length));
    case `${CORE}timestamp`:
      return isTimestamp(value) ? value : wrongType(node, 'timestamp');
    case `${CORE}binary`:
      return binary(node);
    default:
      return value;
  }
}

function typed(node: ScalarNode, type: string): YamlScalar {
  const value = plainScalar(node.value);
  const found = typeOf(value);
  if (found === type) return value;
  const isWidened = type === 'float' && typeof value === 'object' && value?.type === 'int';
  return isWidened ? { type: 'float', value: Number(value.value) } : wrongType(node, type);
}

function typeOf(value: YamlScalar): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  return value.type === 'float' ? 'float' : 'int';
}

function wrongType({ value, line }: ScalarNode, type: string): never {
  throw new YamlError(`cannot decode !!${typeOf(plainScalar(value))} \`${value}\` as a !!${type}`, line);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function binary({ value, line }: ScalarNode): string {
  const digits = value.replaceAll(/[\r\n]/g, '');
  if (!BASE64.test(digits)) throw new YamlError('!!binary value contains invalid base64 data', line);
  return replacedText(Buffer.from(digits, 'base64'));
}

/**
 * Returns a key as JSON has it. Returns undefined for keys that JSON does not have: null, and integers beyond
 * 63 bits.
 */
export function keyText(key: YamlScalar): string | undefined {
  if (typeof key === 'string') return key;
  if (typeof key === 'boolean') return String(key);
  if (key === null || key.type === 'uint64') return undefined;
  return key.type === 'float' ? float32Text(key.value) : String(key.value);
}
