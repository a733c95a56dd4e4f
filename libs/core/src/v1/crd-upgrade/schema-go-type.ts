import type { GoStruct, GoType } from '../../kernel/go-diff/go-type.js';
import { goText } from './go-text.js';
import { SCHEMA_FIELDS } from './schema.js';

const STRING: GoType = { kind: 'string', name: 'string' };
const BOOL: GoType = { kind: 'bool', name: 'bool' };
const FLOAT: GoType = { kind: 'number', name: 'float64' };
const INT: GoType = { kind: 'number', name: 'int64' };

const struct = (name: string, fields: Readonly<Record<string, GoType>>): GoType => ({
  kind: 'struct',
  name: `v1.${name}`,
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
});
const slice = (of: () => GoType, name = `[]${of().name}`): GoType => ({ kind: 'slice', name, of });
const pointer = (to: GoType): GoType => ({ kind: 'pointer', name: `*${to.name}`, to: () => to });
/** Pointers to the API's own types can write the values that they point to. */
const object = (to: () => GoType): GoType => ({
  kind: 'pointer',
  name: '',
  to,
  text: (value: GoStruct) => goText(to(), value),
});

const JSON_VALUE = struct('JSON', { Raw: { kind: 'bytes', name: '[]uint8' } });
const schema = (): GoType => SCHEMA_TYPE;
const SCHEMAS: GoType = { kind: 'slice', name: '[]v1.JSONSchemaProps', of: schema };
const schemasByName = (name: string): GoType => ({ kind: 'map', name, of: schema });
const OR_BOOL = object(() => SCHEMA_OR_BOOL);
const SCHEMA_OR_BOOL = struct('JSONSchemaPropsOrBool', { Allows: BOOL, Schema: object(schema) });
const SCHEMA_OR_ARRAY = struct('JSONSchemaPropsOrArray', { Schema: object(schema), JSONSchemas: SCHEMAS });
const SCHEMA_OR_NAMES = struct('JSONSchemaPropsOrStringArray', {
  Schema: object(schema),
  Property: slice(() => STRING),
});
const RULE = struct('ValidationRule', {
  Rule: STRING,
  Message: STRING,
  MessageExpression: STRING,
  Reason: pointer({ kind: 'string', name: 'v1.FieldValueErrorReason' }),
  FieldPath: STRING,
  OptionalOldSelf: pointer(BOOL),
});
const DOCS = struct('ExternalDocumentation', { Description: STRING, URL: STRING });

/** Fields with a Go type that does not follow from the way they are read. */
const FIELD_TYPES: Readonly<Record<string, GoType>> = {
  Schema: { kind: 'string', name: 'v1.JSONSchemaURL' },
  Ref: pointer(STRING),
  Maximum: pointer(FLOAT),
  Minimum: pointer(FLOAT),
  MultipleOf: pointer(FLOAT),
  Enum: slice(() => JSON_VALUE),
  Required: slice(() => STRING),
  Items: object(() => SCHEMA_OR_ARRAY),
  Not: object(schema),
  AdditionalProperties: OR_BOOL,
  AdditionalItems: OR_BOOL,
  Dependencies: { kind: 'map', name: 'v1.JSONSchemaDependencies', of: () => SCHEMA_OR_NAMES },
  Definitions: schemasByName('v1.JSONSchemaDefinitions'),
  ExternalDocs: object(() => DOCS),
  XPreserveUnknownFields: pointer(BOOL),
  XListMapKeys: slice(() => STRING),
  XListType: pointer(STRING),
  XMapType: pointer(STRING),
  XValidations: slice(() => RULE, 'v1.ValidationRules'),
};

const TYPE_OF = {
  text: STRING,
  flag: BOOL,
  number: pointer(INT),
  json: object(() => JSON_VALUE),
  schemas: SCHEMAS,
  schemaMap: schemasByName('map[string]v1.JSONSchemaProps'),
} as const;

/** The API server's `JSONSchemaProps` (k8s.io/apiextensions-apiserver, apiextensions/v1). */
export const SCHEMA_TYPE: GoType & { kind: 'struct' } = {
  kind: 'struct',
  name: 'v1.JSONSchemaProps',
  fields: SCHEMA_FIELDS.map(({ goName, holds }) => ({
    name: goName,
    type: FIELD_TYPES[goName] ?? TYPE_OF[holds as keyof typeof TYPE_OF],
  })),
};
