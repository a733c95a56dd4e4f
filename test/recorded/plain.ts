import type { Json } from './recording.js';

/**
 * Removes values that Go's `omitempty` makes equal: absent, null, empty map, empty list and empty text are
 * one.
 */
export function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, plain(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => !isEmpty(item)));
}

const isEmpty = (value: Json): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
