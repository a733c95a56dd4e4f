import { asList, asRecord } from '../../kernel/crd/loose-value.js';
import type { GoStruct, GoValue } from '../../kernel/go-diff/go-type.js';
import { rawJson } from './raw-json.js';
import { SCHEMA_FIELDS, type Schema } from './schema.js';

/** A schema as the API server's Go type holds it. */
export const schemaGoValue = (schema: Schema): GoStruct =>
  Object.fromEntries(SCHEMA_FIELDS.map(({ name, goName, holds }) => [goName, fieldValue(goName, holds, schema[name])]));

const ZERO: Readonly<Record<string, GoValue>> = { text: '', flag: false };

function fieldValue(goName: string, holds: string, value: unknown): GoValue {
  if (value === undefined) return ZERO[holds];
  switch (goName) {
    case 'Enum':
      return asList(value).map(json);
    case 'XValidations':
      return asList(value).map(rule);
    case 'ExternalDocs':
      return docs(asRecord(value));
    case 'Items':
      return Array.isArray(value)
        ? { Schema: undefined, JSONSchemas: value.map(schemaGoValue) }
        : { Schema: schemaGoValue(value as Schema), JSONSchemas: undefined };
    case 'Dependencies':
      return mapped(value, (one) =>
        Array.isArray(one)
          ? { Schema: undefined, Property: one }
          : { Schema: schemaGoValue(one as Schema), Property: undefined },
      );
    default:
      return byKind(holds, value);
  }
}

function byKind(holds: string, value: unknown): GoValue {
  switch (holds) {
    case 'json':
      return json(value);
    case 'schema':
      return schemaGoValue(value as Schema);
    case 'schemas':
      return asList(value).map((one) => schemaGoValue(one as Schema));
    case 'schemaMap':
      return mapped(value, (one) => schemaGoValue(one as Schema));
    case 'schemaOrBool':
      return typeof value === 'boolean'
        ? { Allows: value, Schema: undefined }
        : { Allows: true, Schema: schemaGoValue(value as Schema) };
    default:
      return value as GoValue;
  }
}

/** Null has no bytes. */
const json = (value: unknown): GoStruct => ({ Raw: value === null ? undefined : rawJson(value) });

const mapped = (value: unknown, read: (one: unknown) => GoValue): GoValue =>
  new Map([...(value as ReadonlyMap<string, unknown>)].map(([name, one]) => [name, read(one)]));

const docs = (value: Readonly<Record<string, unknown>>): GoStruct => ({
  Description: (value['description'] ?? '') as string,
  URL: (value['url'] ?? '') as string,
});

function rule(value: unknown): GoStruct {
  const read = asRecord(value);
  const text = (name: string) => (read[name] ?? '') as string;
  return {
    Rule: text('rule'),
    Message: text('message'),
    MessageExpression: text('messageExpression'),
    Reason: read['reason'] as GoValue,
    FieldPath: text('fieldPath'),
    OptionalOldSelf: read['optionalOldSelf'] as GoValue,
  };
}
