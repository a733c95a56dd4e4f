import { isObject, type JsonObject } from '../objects/json.js';
import type { SchemaNode } from './schema-node.js';

/** Members every object has, whether its schema names them or not. */
const OBJECT_MEMBERS = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Returns the value without fields unknown to its schema; `unknown` collects the paths of the removed fields.
 */
export function pruned(value: unknown, schema: SchemaNode, path: string, unknown: string[], root = false): unknown {
  if (isObject(value)) return prunedObject(value, schema, path, unknown, root || schema.embedded);
  const { items } = schema;
  if (!Array.isArray(value) || items === undefined) return value;
  return value.map((item, index) => pruned(item, items, `${path}[${index}]`, unknown));
}

function prunedObject(value: JsonObject, schema: SchemaNode, path: string, unknown: string[], whole: boolean): unknown {
  const result: JsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const own = schema.property(name) ?? schema.additional ?? schema.keepsUnknown;
    if (own === true || (whole && OBJECT_MEMBERS.has(name))) result[name] = inner;
    else if (own === false) unknown.push(at);
    else result[name] = pruned(inner, own, at, unknown);
  }
  return result;
}

/** Returns the value with its schema's defaults, and without nulls if null is not allowed. */
export function defaulted(value: unknown, schema: SchemaNode): unknown {
  if (isObject(value)) return withDefaults(withoutForbiddenNulls(value, schema), schema);
  const { items } = schema;
  return Array.isArray(value) && items !== undefined ? value.map((item) => defaulted(item, items)) : value;
}

function withoutForbiddenNulls(value: JsonObject, schema: SchemaNode): JsonObject {
  const result: JsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    const own = schema.property(name) ?? schema.additional ?? true;
    if (own === true) result[name] = inner;
    else if (inner !== null || own.nullable) result[name] = defaulted(inner, own);
  }
  return result;
}

function withDefaults(value: JsonObject, schema: SchemaNode): JsonObject {
  if (!schema.defaultsBelow) return value;
  for (const name of schema.propertyNames) {
    const own = schema.property(name);
    if (own?.hasDefault && !(name in value)) value[name] = defaulted(structuredClone(own.raw.default), own);
  }
  return value;
}
