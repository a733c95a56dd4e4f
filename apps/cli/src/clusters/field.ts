/**
 * Returns the value at a path of keys. Returns undefined if the path leads to none. Objects of clusters are
 * read as they are.
 */
export function field(value: unknown, ...path: readonly (string | number)[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[key];
  }
  return at;
}

/**
 * Returns the value at a path as the text of a cell. Returns '' if there is none, or if it is no plain value.
 */
export function text(value: unknown, ...path: readonly (string | number)[]): string {
  const found = field(value, ...path);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? oneLine(found) : '';
}

/** Status of the condition of this type. */
export function condition(object: unknown, type: string, key = 'status'): string {
  const conditions = field(object, 'status', 'conditions');
  if (!Array.isArray(conditions)) return '';
  return text(
    conditions.find((candidate) => field(candidate, 'type') === type),
    key,
  );
}

const oneLine = (value: string | number | boolean): string => String(value).replaceAll(/[\p{Cc}\s]+/gu, ' ');
