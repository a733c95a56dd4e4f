import type { z } from 'zod';

/** Data that others wrote, as a value of ours, or the problem of the first field that does not fit. */
type ReadForeign<T> = Readonly<{ value: T }> | Readonly<{ problem: string }>;

/**
 * Reads data that others wrote (bundles, catalogs, objects of clusters). Never throws. If a field does not
 * fit, returns a text with the field, its value and the remedy.
 */
export function readForeign<T>(schema: z.ZodType<T>, value: unknown): ReadForeign<T> {
  const parsed = schema.safeParse(value);
  return parsed.success ? { value: parsed.data } : { problem: fieldProblem(parsed.error.issues[0], value) };
}

type Issue = z.core.$ZodIssue;

/** Names of types as people call them in YAML. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

/** Describes a problem: `metadata.annotations.hot is the boolean true; a text is expected: quote it`. */
function fieldProblem(issue: Issue | undefined, value: unknown): string {
  if (issue === undefined) return 'it cannot be read';
  const place = placeOf(issue.path);
  if (issue.code === 'custom' && issue.params?.['decoded'] === true) return `${place} ${issue.message}`;
  const found = issue.path.reduce<unknown>(memberOf, value);
  if (issue.code === 'invalid_union') {
    const [first] = issue.errors.flat();
    if (first !== undefined) return fieldProblem({ ...first, path: [...issue.path, ...first.path] } as Issue, value);
  }
  if (found === undefined && issue.code !== 'custom') return `${place} is missing`;
  if (issue.code !== 'invalid_type') return issue.path.length === 0 ? issue.message : `${place}: ${issue.message}`;
  return `${place} ${typeProblem(found, TYPES[issue.expected] ?? issue.expected)}`;
}

const memberOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** Describes the value of a field that is no text: `is the number 1; a text is expected: quote it`. */
export function typeProblem(found: unknown, expected = 'a text'): string {
  const shown = shownValue(found);
  if (expected !== 'a text' || typeof found === 'object') return `is ${shown}; ${expected} is expected`;
  return `is ${shown}; a text is expected: quote it`;
}

/** Describes the value as a reader of the YAML knows it: `the number 4.1`, `the boolean true`, `a list`. */
function shownValue(found: unknown): string {
  if (found === null) return 'empty (null)';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object') return 'a map';
  if (typeof found === 'string') return 'a text';
  return `the ${typeof found} ${String(found)}`;
}

/** Returns a place such as `spec.installModes[3].supported`; the value itself is `the document`. */
const placeOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => `${text}${typeof key === 'number' ? `[${key}]` : text === '' ? String(key) : `.${String(key)}`}`,
    '',
  ) || 'the document';
