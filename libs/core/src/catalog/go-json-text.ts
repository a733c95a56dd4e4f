import { byCodeUnit } from '../canonical/canonical-json.js';
import { isRecord } from './go-json.js';

/** JSON as Go's encoder writes it without HTML escaping: keys sorted, `-0` kept; `indent` blanks a level, none on one line. */
export function goJson(value: unknown, indent = 0): string {
  return write(value, indent, '');
}

function write(value: unknown, indent: number, margin: string): string {
  if (typeof value === 'string') return goString(value);
  if (typeof value === 'number') return goNumber(value);
  const inner = indent === 0 ? '' : `${margin}${' '.repeat(indent)}`;
  if (Array.isArray(value)) {
    return enclosed(
      '[',
      value.map((item) => write(item, indent, inner)),
      ']',
      indent,
      margin,
      inner,
    );
  }
  if (!isRecord(value)) return value === undefined ? 'null' : JSON.stringify(value);
  const colon = indent === 0 ? ':' : ': ';
  const fields = Object.keys(value)
    .sort(byCodeUnit)
    .map((key) => `${goString(key)}${colon}${write(value[key], indent, inner)}`);
  return enclosed('{', fields, '}', indent, margin, inner);
}

function enclosed(open: string, items: string[], close: string, indent: number, margin: string, inner: string): string {
  if (items.length === 0) return `${open}${close}`;
  if (indent === 0) return `${open}${items.join(',')}${close}`;
  return `${open}\n${items.map((item) => `${inner}${item}`).join(',\n')}\n${margin}${close}`;
}

/** Go escapes the two line separators of Unicode even without HTML escaping. */
const goString = (value: string): string =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

const goNumber = (value: number): string => (Object.is(value, -0) ? '-0' : JSON.stringify(value));
