/**
 * True if two values are the same JSON, in any order of their keys: as comparing their canonicalJson, without
 * writing either. A field that is undefined counts as absent, an undefined item of a list as null.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameItems(a, b);
  return sameFields(a, b);
}

const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, at) => sameJson(item ?? null, b[at] ?? null));

function sameFields(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const isPresent = (key: string) => Object.hasOwn(b, key) && b[key] !== undefined;
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  if (!keys.every((key) => isPresent(key) && sameJson(a[key], b[key]))) return false;
  return Object.keys(b).filter(isPresent).length === keys.length;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
