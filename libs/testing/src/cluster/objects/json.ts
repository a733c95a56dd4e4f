import { isDeepStrictEqual } from 'node:util';

export type JsonObject = { [field: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value at a path of field names, or undefined if some field on the path is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const field of path) {
    if (!isObject(current)) return undefined;
    current = current[field];
  }
  return current;
}

export function objectAt(value: unknown, ...path: readonly string[]): JsonObject | undefined {
  const found = at(value, ...path);
  return isObject(found) ? found : undefined;
}

export function arrayAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function stringAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export const equal = (a: unknown, b: unknown): boolean => a === b || isDeepStrictEqual(a, b);

const PLAIN_MAPS = new Set([
  'labels',
  'annotations',
  'data',
  'binaryData',
  'matchLabels',
  'nodeSelector',
  'limits',
  'requests',
]);

/**
 * Returns a copy without nulls, empty lists and empty maps of strings: decoding into Go types leaves them out
 * of built-in kinds.
 */
export function omittedEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omittedEmpty);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [field, inner] of Object.entries(value)) {
    const empty = Array.isArray(inner)
      ? inner.length === 0
      : PLAIN_MAPS.has(field) && isObject(inner) && Object.keys(inner).length === 0;
    if (inner !== null && inner !== undefined && !empty) result[field] = omittedEmpty(inner);
  }
  return result;
}
