// Access to manifests of unchecked shape: a field that is absent or of another type reads as empty.

/** True for a JSON object; false for lists and null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Returns the object at `path`, or an empty one. */
export function recordAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, unknown>> {
  let at = value;
  for (const key of path) at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return isRecord(at) ? at : {};
}

const valueAt = (value: unknown, path: readonly string[]): unknown => {
  const last = path.at(-1);
  const parent = recordAt(value, ...path.slice(0, -1));
  return last !== undefined && Object.hasOwn(parent, last) ? parent[last] : undefined;
};

/** Returns the objects in the list at `path`. Other items are skipped. */
export function recordsAt(value: unknown, ...path: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** Returns the text at `path`, or the empty one. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const text = valueAt(value, path);
  return typeof text === 'string' ? text : '';
}

/** Returns the texts in the list at `path`. */
export function textsAt(value: unknown, ...path: readonly string[]): readonly string[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** Returns the object at `path` as a map of texts; other values are left out. */
export function textMapAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  const entries = Object.entries(recordAt(value, ...path));
  return Object.fromEntries(entries.flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])));
}
