import { byCodeUnit } from '../canonical/canonical-json.js';
import { isRecord } from './json-access.js';

/**
 * Returns the same JSON value with the keys of every object in order, as Go writes a map. Parts that are
 * already in order are not copied. So the value given may be part of the value returned, or be it.
 */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return listWithSortedKeys(value);
  return isRecord(value) ? recordWithSortedKeys(value) : value;
}

/** Returns {@link withSortedKeys} of an object. */
export function recordWithSortedKeys(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const keys = Object.keys(record);
  const values = keys.map((key) => withSortedKeys(record[key]));
  if (keys.every((key, at) => values[at] === record[key] && (at === 0 || byCodeUnit(keys[at - 1] ?? '', key) < 0))) {
    return record;
  }
  const entries = keys.map((key, at): [string, unknown] => [key, values[at]]);
  return Object.fromEntries(entries.sort(([a], [b]) => byCodeUnit(a, b)));
}

function listWithSortedKeys(list: readonly unknown[]): readonly unknown[] {
  const items = list.map(withSortedKeys);
  return items.every((item, at) => item === list[at]) ? list : items;
}
