import { asList, asRecord } from '../../kernel/crd/loose-value.js';
import { goJson } from '../../kernel/json/go-json-text.js';

/**
 * A JSONSchemaProps as in the API server's own type. It has no unknown fields, and no values that the type
 * treats as absent (empty text, false, empty lists). Field names are those of the manifest.
 */
export type Schema = Readonly<Record<string, unknown>>;

/** Representation of a field in the API server's type: it decides if absent and empty differ. */
type Holds =
  | 'text'
  | 'flag'
  | 'number'
  | 'pointer'
  | 'json'
  | 'list'
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'schemaOrBool';
type Field = Readonly<{ name: string; goName: string; holds: Holds }>;

const field = (name: string, goName: string, holds: Holds): Field => ({ name, goName, holds });

/**
 * Fields in the order of the Go type `JSONSchemaProps` (k8s.io/apiextensions-apiserver, apiextensions/v1).
 */
export const SCHEMA_FIELDS: readonly Field[] = [
  field('id', 'ID', 'text'),
  field('$schema', 'Schema', 'text'),
  field('$ref', 'Ref', 'pointer'),
  field('description', 'Description', 'text'),
  field('type', 'Type', 'text'),
  field('format', 'Format', 'text'),
  field('title', 'Title', 'text'),
  field('default', 'Default', 'json'),
  field('maximum', 'Maximum', 'number'),
  field('exclusiveMaximum', 'ExclusiveMaximum', 'flag'),
  field('minimum', 'Minimum', 'number'),
  field('exclusiveMinimum', 'ExclusiveMinimum', 'flag'),
  field('maxLength', 'MaxLength', 'number'),
  field('minLength', 'MinLength', 'number'),
  field('pattern', 'Pattern', 'text'),
  field('maxItems', 'MaxItems', 'number'),
  field('minItems', 'MinItems', 'number'),
  field('uniqueItems', 'UniqueItems', 'flag'),
  field('multipleOf', 'MultipleOf', 'number'),
  field('enum', 'Enum', 'list'),
  field('maxProperties', 'MaxProperties', 'number'),
  field('minProperties', 'MinProperties', 'number'),
  field('required', 'Required', 'list'),
  field('items', 'Items', 'schemaOrBool'),
  field('allOf', 'AllOf', 'schemas'),
  field('oneOf', 'OneOf', 'schemas'),
  field('anyOf', 'AnyOf', 'schemas'),
  field('not', 'Not', 'schema'),
  field('properties', 'Properties', 'schemaMap'),
  field('additionalProperties', 'AdditionalProperties', 'schemaOrBool'),
  field('patternProperties', 'PatternProperties', 'schemaMap'),
  field('dependencies', 'Dependencies', 'schemaMap'),
  field('additionalItems', 'AdditionalItems', 'schemaOrBool'),
  field('definitions', 'Definitions', 'schemaMap'),
  field('externalDocs', 'ExternalDocs', 'pointer'),
  field('example', 'Example', 'json'),
  field('nullable', 'Nullable', 'flag'),
  field('x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields', 'pointer'),
  field('x-kubernetes-embedded-resource', 'XEmbeddedResource', 'flag'),
  field('x-kubernetes-int-or-string', 'XIntOrString', 'flag'),
  field('x-kubernetes-list-map-keys', 'XListMapKeys', 'list'),
  field('x-kubernetes-list-type', 'XListType', 'pointer'),
  field('x-kubernetes-map-type', 'XMapType', 'pointer'),
  field('x-kubernetes-validations', 'XValidations', 'list'),
];

/** Levels of schemas within schemas; real CRDs stay far below. */
const MAX_DEPTH = 200;

/** A schema that nests too deeply to be checked. */
export class SchemaTooDeep extends Error {
  constructor() {
    super(`a schema nests more than ${MAX_DEPTH} levels; such a CustomResourceDefinition cannot be checked`);
  }
}

/** Reads a manifest's schema the way the API server does. Throws {@link SchemaTooDeep}. */
export function readSchema(value: unknown, depth = 0): Schema {
  if (depth > MAX_DEPTH) throw new SchemaTooDeep();
  const source = asRecord(value);
  const read: Record<string, unknown> = Object.create(null);
  for (const { name, holds } of SCHEMA_FIELDS) {
    const found = Object.hasOwn(source, name) ? readField(holds, source[name], depth) : undefined;
    if (found !== undefined) read[name] = found;
  }
  return read;
}

function readField(holds: Holds, value: unknown, depth: number): unknown {
  if (value === null || value === undefined) return;
  switch (holds) {
    case 'text':
      return value === '' ? undefined : value;
    case 'flag':
      return value === true ? true : undefined;
    case 'list':
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case 'schema':
      return readSchema(value, depth + 1);
    case 'schemas':
      return asList(value).length === 0 ? undefined : asList(value).map((one) => readSchema(one, depth + 1));
    case 'schemaMap':
      return readSchemas(asRecord(value), depth + 1);
    case 'schemaOrBool':
      return readSchemaOr(value, depth + 1);
    default:
      return value;
  }
}

/** A map of schemas; dependencies may hold lists of names instead. A Map: any name is data. */
function readSchemas(
  value: Readonly<Record<string, unknown>>,
  depth: number,
): ReadonlyMap<string, unknown> | undefined {
  const entries = Object.entries(value);
  if (entries.length === 0) return;
  return new Map(entries.map(([name, one]) => [name, Array.isArray(one) ? one : readSchema(one, depth)]));
}

/** A schema, a list of schemas (items), or yes or no (additionalProperties, additionalItems). */
function readSchemaOr(value: unknown, depth: number): unknown {
  if (typeof value === 'boolean') return value;
  return Array.isArray(value) ? value.map((one) => readSchema(one, depth)) : readSchema(value, depth);
}

/**
 * Returns a text to compare two values made by {@link readSchema}: equal exactly when Kubernetes calls them
 * so.
 */
export const schemaText = (value: unknown): string => goJson(plain(value));

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return { map: [...value].map(([name, one]) => [name, plain(one)]).sort(byName) };
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
}

const byName = ([a]: unknown[], [b]: unknown[]): number => (String(a) < String(b) ? -1 : 1);
