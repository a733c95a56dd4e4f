import { byCodeUnit } from '../canonical/canonical-json.js';
import { isRecord } from './json-access.js';
import { withSortedKeys } from './sorted-keys.js';

type Layout = Readonly<{
  /** Blanks a level; 0 writes everything on one line. */
  indent: number;
  sortKeys: boolean;
}>;

/** Writes JSON on one line with sorted keys, as Go's encoder writes a generic value without HTML escaping. */
export const goJson = (value: unknown): string => written(withSortedKeys(value), { indent: 0, sortKeys: true });

/**
 * Writes JSON on one line as Go's encoding/json writes a struct: `<`, `>`, `&`, U+2028 and U+2029 are escaped
 * inside strings. Keys stay in the order given. A Go struct writes its fields in declared order, so the
 * caller builds objects in that order. The caller leaves out the fields that `omitempty` would (spec:
 * api-types.md §12). Numbers must be integers: floats are written differently.
 */
export const escapedGoJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * Writes JSON with 4 blanks a level and the keys in the order given: the output form of catalogs (spec:
 * file-based-catalogs.md §4).
 */
export const indentedJson = (value: unknown): string => written(value, { indent: 4, sortKeys: false });

/** Writes JSON. JavaScript's own writer gives the same bytes for nearly every value, several times faster. */
function written(value: unknown, layout: Layout): string {
  const text = isWrittenAlike(value) ? JSON.stringify(value, undefined, layout.indent) : HALF_PAIR;
  return text.includes(HALF_PAIR) ? write(value, layout, '') : lineSeparatorsEscaped(text);
}

/** How JavaScript begins to write half of a surrogate pair; a text may also have it behind a backslash. */
const HALF_PAIR = '\\ud';

/** False for a negative zero, keys that are numbers, and gaps: Go writes these differently. */
function isWrittenAlike(value: unknown): boolean {
  if (typeof value === 'number') return !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isWrittenAlike);
  if (!isRecord(value)) return value !== undefined;
  const keys = Object.keys(value);
  return !INDEX.test(keys[0] ?? '') && keys.every((key) => isWrittenAlike(value[key]));
}

function write(value: unknown, layout: Layout, margin: string): string {
  if (typeof value === 'string') return goString(value);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : JSON.stringify(value);
  const inner = margin + ' '.repeat(layout.indent);
  if (Array.isArray(value)) {
    const items = value.map((item) => write(item, layout, inner));
    return `[${laidOut(items, layout, margin, inner)}]`;
  }
  if (!isRecord(value)) return value === undefined ? 'null' : JSON.stringify(value);
  const colon = layout.indent === 0 ? ':' : ': ';
  const keys = Object.keys(value);
  if (layout.sortKeys || INDEX.test(keys[0] ?? '')) keys.sort(byCodeUnit);
  const fields = keys.map((key) => `${goString(key)}${colon}${write(value[key], layout, inner)}`);
  return `{${laidOut(fields, layout, margin, inner)}}`;
}

/**
 * A key that JavaScript moves to the front of its object, out of the order it was given. Only maps have such
 * keys, and Go writes those in order of text.
 */
const INDEX = /^(?:0|[1-9][0-9]*)$/;

function laidOut(items: readonly string[], { indent }: Layout, margin: string, inner: string): string {
  if (items.length === 0 || indent === 0) return items.join(',');
  return `\n${items.map((item) => `${inner}${item}`).join(',\n')}\n${margin}`;
}

/**
 * Writes a string as Go does. Go escapes the two line separators of Unicode even without HTML escaping, and
 * knows no half of a surrogate pair.
 */
const goString = (value: string): string => lineSeparatorsEscaped(JSON.stringify(value.toWellFormed()));

const lineSeparatorsEscaped = (json: string): string =>
  json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
