import { readSchema, type Schema } from './schema.js';

/** A schema under its path in reports: `^` is the root (spec: v1-crd-safety.md, "Paths"). */
type FlatSchema = ReadonlyMap<string, Schema>;

/**
 * Returns every schema within a version's schema, by path. A version without one has an empty root. Throws
 * `SchemaTooDeep`.
 */
export function flattenSchema(schema: unknown): FlatSchema {
  const flat = new Map<string, Schema>();
  visit(readSchema(schema), '^', flat);
  return flat;
}

/**
 * If two paths are the same text (a property may be called `items`) the later one is kept: hence the fixed
 * order.
 */
function visit(schema: Schema, path: string, flat: Map<string, Schema>): void {
  flat.set(path, schema);
  visitOne(schema['items'], `${path}.items`, flat);
  for (const list of ['allOf', 'anyOf', 'oneOf']) visitOne(schema[list], `${path}.${list}`, flat);
  visitOne(schema['not'], `${path}.not`, flat);
  visitEach(schema['properties'], (name) => (name === '' ? `${path}[]` : `${path}.${name}`), flat);
  visitOne(schema['additionalProperties'], `${path}.additionalProperties`, flat);
  visitEach(schema['patternProperties'], (name) => `${path}.patternProperties[${name}]`, flat);
  visitOne(schema['additionalItems'], `${path}.additionalItems`, flat);
  visitEach(schema['definitions'], (name) => `${path}.definitions[${name}]`, flat);
  visitEach(schema['dependencies'], (name) => `${path}.dependencies[${name}]`, flat);
}

function visitOne(value: unknown, path: string, flat: Map<string, Schema>): void {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) visitOne(one, `${path}[${index}]`, flat);
  } else if (isSchema(value)) {
    visit(value, path, flat);
  }
}

function visitEach(value: unknown, pathOf: (name: string) => string, flat: Map<string, Schema>): void {
  if (!(value instanceof Map)) return;
  for (const [name, one] of value) if (isSchema(one)) visit(one, pathOf(String(name)), flat);
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
