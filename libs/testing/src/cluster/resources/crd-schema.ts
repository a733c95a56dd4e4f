import { createHash } from 'node:crypto';
import type { ApiObject } from '../objects/api-object.js';
import type { JsonObject } from '../objects/json.js';
import type { StatusCause } from '../objects/refusal.js';
import { metadataMergeSchema } from '../schema/builtin-merge-schema.js';
import { brokenRules } from '../schema/cel/validate-rules.js';
import { deduced, type MergeSchema } from '../schema/merge-schema.js';
import { SchemaNode } from '../schema/schema-node.js';
import { defaulted, pruned } from '../schema/schema-prune.js';
import { validate } from '../schema/schema-validate.js';
import type { SchemaVerdict } from './resource-info.js';

/** The schema of one version of one custom resource, ready to use. */
export type CompiledSchema = Readonly<{
  check: (object: ApiObject, live: ApiObject | undefined) => SchemaVerdict;
  merge: MergeSchema;
}>;

const MAX_SHARED = 512;
const shared = new Map<string, JsonObject>();
const compiled = new WeakMap<JsonObject, CompiledSchema>();

/**
 * The one copy of a schema that all clusters of this process share: OLM's schemas take megabytes each, and a
 * thousand clusters hold the same ones.
 */
export function sharedSchema(schema: JsonObject): JsonObject {
  if (compiled.has(schema)) return schema;
  const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
  const known = shared.get(key);
  if (known !== undefined) return known;
  if (shared.size >= MAX_SHARED) shared.clear();
  shared.set(key, schema);
  return schema;
}

/** Compiles a schema once, however many clusters use it. */
export function compiledSchema(schema: JsonObject): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const root = new SchemaNode(schema);
  const made = {
    check: (object: ApiObject, live: ApiObject | undefined) => checked(object, live, root),
    merge: rootMergeSchema(root),
  };
  compiled.set(schema, made);
  return made;
}

/** Faults that stop the API server from evaluating rules. */
const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const RULES_NOT_CHECKED: StatusCause = {
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; ' +
    'correct the existing errors to complete validation',
  field: '<nil>',
};

function checked(object: ApiObject, live: ApiObject | undefined, root: SchemaNode): SchemaVerdict {
  const unknownFields: string[] = [];
  const kept = pruned(object, root, '', unknownFields, true);
  const whole = { ...(defaulted(kept, root) as ApiObject), metadata: object.metadata };
  const causes: StatusCause[] = [];
  validate(whole, root, '', causes);
  unknownFields.sort();
  if (!root.rulesBelow) return { object: whole, unknownFields, causes, warnings: [] };
  if (causes.some(({ reason }) => BLOCKING.has(reason))) {
    return { object: whole, unknownFields, causes: [...causes, RULES_NOT_CHECKED], warnings: [] };
  }
  const broken = brokenRules(whole, live, root);
  return { object: whole, unknownFields, causes: [...causes, ...broken.causes], warnings: broken.warnings };
}

const rootMergeSchema = (root: SchemaNode): MergeSchema => ({
  ...mergeSchemaOf(root),
  named: () => true,
  field: (name) => (name === 'metadata' ? metadataMergeSchema : fieldSchema(root, name)),
});

const memo = new WeakMap<SchemaNode, MergeSchema>();

function mergeSchemaOf(node: SchemaNode): MergeSchema {
  const known = memo.get(node);
  if (known !== undefined) return known;
  const list = node.listType === 'map' || node.listType === 'set' ? node.listType : 'atomic';
  const items = node.items;
  const defaults = node.listKeys.flatMap((key) => {
    const value = items?.property(key)?.raw.default;
    return value === undefined ? [] : [[key, value]];
  });
  const made: MergeSchema = {
    list,
    keys: node.listKeys,
    keyDefaults: Object.fromEntries(defaults),
    atomic: node.mapType === 'atomic',
    field: (name) => fieldSchema(node, name),
    item: () => (items === undefined ? deduced : mergeSchemaOf(items)),
    named: (name) => node.property(name) !== undefined,
    alwaysPresent: () => false,
  };
  memo.set(node, made);
  return made;
}

function fieldSchema(node: SchemaNode, name: string): MergeSchema {
  const found = node.property(name) ?? node.additional;
  return found === undefined || found === true ? deduced : mergeSchemaOf(found);
}
