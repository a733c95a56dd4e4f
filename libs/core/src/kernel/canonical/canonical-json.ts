import { hash } from 'node:crypto';

/**
 * Writes JSON text with object keys sorted by code unit at every depth and no white space: equal values give
 * equal bytes.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** Returns the lower-case hex SHA-256 of {@link canonicalJson}. */
export const canonicalHash = (value: unknown): string => hash('sha256', canonicalJson(value), 'hex');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const source = value as Readonly<Record<string, unknown>>;
  const ordered: Record<string, unknown> = {};
  // Without a comparison of its own sort() compares by UTF-16 code unit, as byCodeUnit does, and much faster.
  for (const key of Object.keys(source).sort()) {
    const inner = source[key];
    if (inner === undefined) continue;
    if (key === '__proto__') defineOwn(ordered, key, sorted(inner));
    else ordered[key] = sorted(inner);
  }
  return ordered;
}

/** Defines an own property. An assignment to this key would set the prototype. */
function defineOwn(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Compares strings by UTF-16 code unit, a total order: the same on every machine, unlike a locale's. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
