import { goFloat } from '../../kernel/json/go-float.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { byYamlKey } from './go-yaml-key-order.js';
import { keyText, type ScalarPlace, textScalar } from './go-yaml-scalar.js';

// YAML as sigs.k8s.io/yaml writes a JSON value: keys sorted, two blanks a level, lists not indented below
// their key. It follows Go's yaml.v2 character for character, so that output can be compared with opm's.

/** Writes one YAML document without separator, ending in a line break. */
export const goYaml = (value: unknown): string => `${block(value, { margin: '', column: 0 }).slice(1)}\n`;

/**
 * Returns the text after a key's colon or a list item's dash: either ` scalar`, or lines that begin with a
 * line break.
 */
function block(value: unknown, place: ScalarPlace): string {
  if (Array.isArray(value)) return value.length === 0 ? ' []' : listLines(value, place.margin);
  if (isRecord(value)) {
    const keys = Object.keys(value).sort(byYamlKey);
    return keys.length === 0 ? ' {}' : keys.map((key) => fieldLines(key, value[key], place.margin)).join('');
  }
  return ` ${scalar(value, place)}`;
}

/** Writes a field. A list below a key stands at the key's own margin, anything else one level deeper. */
function fieldLines(name: string, value: unknown, margin: string): string {
  const key = keyText(name);
  const column = margin.length + [...key].length + 2;
  const inner = Array.isArray(value) ? margin : `${margin}  `;
  return `\n${margin}${key}:${block(value, { margin: inner, column })}`;
}

const listLines = (items: readonly unknown[], margin: string): string =>
  items.map((item) => `\n${margin}-${itemText(item, `${margin}  `)}`).join('');

/** Writes an item. A collection in a list begins on the line of its dash. */
function itemText(value: unknown, inner: string): string {
  const text = block(value, { margin: inner, column: inner.length });
  return text.startsWith('\n') ? ` ${text.slice(1 + inner.length)}` : text;
}

function scalar(value: unknown, place: ScalarPlace): string {
  if (typeof value === 'string') return textScalar(value, place);
  if (typeof value === 'number') return numberText(value);
  return value === undefined ? 'null' : String(value);
}

const MAX_UINT64 = 2n ** 64n;
const MIN_INT64 = -(2n ** 63n);

/**
 * Writes whole numbers of 64 bits with the digits that JSON has of them, others in the shortest form of Go's
 * `%g`.
 */
function numberText(value: number): string {
  const json = String(value);
  if (/^-?[0-9]+$/.test(json) && BigInt(json) < MAX_UINT64 && BigInt(json) >= MIN_INT64) return json;
  return goFloat(value);
}
