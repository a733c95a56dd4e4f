/**
 * True if `live` has everything that `wanted` names. Additions by the API server or others do not count.
 * Entries of a list may be in any order.
 */
export function holds(live: unknown, wanted: unknown): boolean {
  if (wanted === undefined || wanted === null) return true;
  if (Array.isArray(wanted)) {
    return Array.isArray(live) && wanted.every((entry) => live.some((one) => holds(one, entry)));
  }
  if (typeof wanted !== 'object') return live === wanted;
  if (typeof live !== 'object' || live === null) return false;
  const fields = new Map<string, unknown>(Object.entries(live));
  return Object.entries(wanted).every(([key, value]) => holds(fields.get(key), value));
}
