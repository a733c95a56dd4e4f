import { createHash } from 'node:crypto';

/**
 * JSON text with object keys sorted by code unit at every depth and no white space: equal
 * values give equal bytes.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** Lower-case hex SHA-256 of {@link canonicalJson}. */
export const canonicalHash = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  entries.sort(([a], [b]) => byCodeUnit(a, b));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** Total order of strings by UTF-16 code unit: the same on every machine, unlike a locale's. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
