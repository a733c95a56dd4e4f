import { byCodeUnit } from '../canonical/canonical-json.js';
import { isRecord } from './go-json.js';

/** The same JSON value with the keys of every object in order, as Go writes a map. */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  return isRecord(value) ? recordWithSortedKeys(value) : value;
}

/** {@link withSortedKeys} of an object. */
export function recordWithSortedKeys(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const keys = Object.keys(record).sort(byCodeUnit);
  return Object.fromEntries(keys.map((key) => [key, withSortedKeys(record[key])]));
}
