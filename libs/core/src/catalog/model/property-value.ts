/**
 * Reads string fields of a property value the way Go decodes JSON into a struct of strings: keys without
 * regard to case, absent and null fields empty, a field of another type no value at all.
 */
export function stringFields<K extends string>(value: unknown, names: readonly K[]): Record<K, string> | undefined {
  const fields = Object.fromEntries(names.map((name) => [name, ''])) as Record<K, string>;
  if (value === null) return fields;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  for (const [key, field] of Object.entries(value)) {
    const name = names.find((candidate) => candidate === key || candidate.toLowerCase() === key.toLowerCase());
    if (name === undefined || field === null) continue;
    if (typeof field !== 'string') return undefined;
    fields[name] = field;
  }
  return fields;
}

/** Returns Go's name for the JSON type of a value, for texts like `json: cannot unmarshal number into …`. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null || typeof value === 'object' ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
}
