import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { asList, asText } from '../../kernel/crd/loose-value.js';

/** A structural schema (openAPIV3Schema of a CustomResourceDefinition) or a part of one, as it came. */
export type StructuralSchema = Readonly<Record<string, unknown>>;

/** Position of a check: the value's path inside the object, and its depth. */
export type SchemaPlace = Readonly<{ path: string; depth: number }>;

/** The whole check of one value. Checks of parts receive it and call it for nested values. */
export type SchemaCheck = (schema: StructuralSchema, value: unknown, place: SchemaPlace) => FieldError[];

/**
 * One violation: the field's path from the object's root (empty: the object itself)
 * and the API server's words.
 */
export type FieldError = Readonly<{ path: string; message: string }>;

/** `[].spec.power: Invalid value: 7: …`, the way OLM's messages print a path (its root has an empty name). */
export const fieldErrorText = ({ path, message }: FieldError): string =>
  `[]${path === '' || path.startsWith('[') ? path : `.${path}`}: ${message}`;

const MAX_SHOWN = 200;

/** A value as an error shows it, cut so that one huge field cannot fill a status. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** A violation that names the value. */
export const invalid = (path: string, value: unknown, rule: string): FieldError => ({
  path,
  message: `Invalid value: ${shown(value)}: ${path} in body ${rule}`,
});

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

const isIntOrString = (schema: Readonly<Record<string, unknown>>): boolean =>
  schema['x-kubernetes-int-or-string'] === true || schema['format'] === 'int-or-string';

/** The violation of `type`, if there is one. */
export function typeError(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  path: string,
): FieldError | undefined {
  const actual = typeOf(value);
  if (isIntOrString(schema)) {
    return actual === 'integer' || actual === 'string' ? undefined : wrongType('integer,string', actual, path);
  }
  const expected = asText(schema['type']);
  const fits = expected === '' || expected === actual || (expected === 'number' && actual === 'integer');
  return fits ? undefined : wrongType(expected, actual, path);
}

/** A value of another type, or a text of another format: both have the same error text. */
export const wrongType = (expected: string, actual: string, path: string): FieldError => ({
  path,
  message: `Invalid value: ${shown(actual)}: ${path} in body must be of type ${expected}: ${shown(actual)}`,
});

/** The violation of `enum`, if there is one. */
export function enumError(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  path: string,
): FieldError | undefined {
  const allowed = asList(schema['enum']);
  if (allowed.length === 0 || allowed.some((choice) => canonicalJson(choice) === canonicalJson(value)))
    return undefined;
  const choices = allowed.map(shown).join(', ');
  return { path, message: `Unsupported value: ${shown(value)}: supported values: ${choices}` };
}
