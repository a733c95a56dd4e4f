import { Buffer } from 'node:buffer';
import { byCodeUnit } from '../canonical/canonical-json.js';
import { isRecord } from './json-access.js';

// Go's rules for reading JSON into typed fields: names match in any case, null leaves the zero value,
// unknown fields are skipped, a wrong type is an error that names struct and field.

/** The place of a value, for the error text: the Go struct and the path of the field in it. */
type JsonPlace = Readonly<{ struct: string; path: string }>;
export type Decoder<T> = (value: unknown, place: JsonPlace) => T;

/** A JSON value of the wrong type, in the words of Go's encoding/json. */
export class GoTypeError extends Error {}

/** Folds the case of a field name as Go and the catalog loader do. */
export const foldCase = (name: string): string =>
  // Only text beyond ASCII can fold to something else than its lower case (long s, sharp s).
  /[^\0-\x7f]/.test(name) ? name.toUpperCase().toLowerCase() : name.toLowerCase();

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}

/** Returns an error as `json: cannot unmarshal number into Go struct field Package.name of type string`. */
export function mismatch(value: unknown, place: JsonPlace, goType: string): GoTypeError {
  const into = place.path === '' ? 'Go value' : `Go struct field ${place.struct}.${place.path}`;
  return new GoTypeError(`json: cannot unmarshal ${kindOf(value)} into ${into} of type ${goType}`);
}

/** Reads text; null and absent are empty. */
export const text: Decoder<string> = (value, place) => {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  throw mismatch(value, place, 'string');
};

/** Reads a list. The result is null if it is null or absent. */
export const listOf =
  <T>(item: Decoder<T>, goType: string): Decoder<T[] | null> =>
  (value, place) => {
    if (value === null || value === undefined) return null;
    if (!Array.isArray(value)) throw mismatch(value, place, `[]${goType}`);
    return value.map((inner) => item(inner, place));
  };

/**
 * Access to the fields of an object by name in any case; of names that differ only in
 * case the last in order wins.
 */
type Fields = <T>(name: string, decode: Decoder<T>) => T;

/** Reads an object field by field; null reads as an object without fields. */
export function struct<T>(goType: string, build: (field: Fields) => T): Decoder<T> {
  const name = goType.slice(goType.lastIndexOf('.') + 1);
  return (value, place) => {
    if (value !== null && !isRecord(value)) throw mismatch(value, place, goType);
    const source = value === null ? {} : foldedFields(value);
    const prefix = place.path === '' ? '' : `${place.path}.`;
    return build((field, decode) => decode(source[foldCase(field)], { struct: name, path: `${prefix}${field}` }));
  };
}

function foldedFields(value: Record<string, unknown>): Record<string, unknown> {
  const folded: Record<string, unknown> = Object.create(null);
  const keys = Object.keys(value);
  for (const key of keys) {
    const name = foldCase(key);
    if (name in folded) return lastOfEach(value, keys);
    folded[name] = value[key];
  }
  return folded;
}

function lastOfEach(value: Record<string, unknown>, keys: string[]): Record<string, unknown> {
  const folded: Record<string, unknown> = Object.create(null);
  for (const key of keys.sort(byCodeUnit)) folded[foldCase(key)] = value[key];
  return folded;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function byte(value: unknown, place: JsonPlace): number {
  if (value === null) return 0;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255) return value;
  throw mismatch(value, place, 'uint8');
}

/**
 * Reads bytes written as standard base64 (line breaks allowed), or as a list of numbers. Returns null if the
 * value is null or absent.
 */
export const base64: Decoder<Buffer | null> = (value, place) => {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return Buffer.from(value.map((item) => byte(item, place)));
  if (typeof value !== 'string') throw mismatch(value, place, '[]uint8');
  const compact = /[\r\n]/.test(value) ? value.replaceAll(/[\r\n]/g, '') : value;
  if (!BASE64.test(compact)) {
    const bad = compact.search(/[^A-Za-z0-9+/]/);
    throw new GoTypeError(`illegal base64 data at input byte ${bad < 0 ? compact.length : bad}`);
  }
  return Buffer.from(compact, 'base64');
};
