import { byCodeUnit } from '../canonical/canonical-json.js';
import { isRecord } from './go-json.js';

/** The same JSON value with the keys of every object in order, as Go writes a map. */
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).sort(byCodeUnit);
  return Object.fromEntries(keys.map((key) => [key, withSortedKeys(value[key])]));
}
