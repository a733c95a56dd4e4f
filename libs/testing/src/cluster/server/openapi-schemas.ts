import type { JsonObject } from '../objects/json.js';
import { isObject, objectAt } from '../objects/json.js';
import type { ResourceInfo } from '../resources/resource-info.js';
import { type TypeField, typeDescription, typeOfKind } from '../types/kubernetes-types.js';

export const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const reference = (name: string): string => `#/components/schemas/${name}`;

const SCALARS: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  strings: { type: 'array', items: { type: 'string' } },
};

const TIME = { type: 'string', format: 'date-time' };
/** Types with JSON that is not an object of described fields. */
const SPECIAL: Readonly<Record<string, JsonObject>> = {
  [`${META}.Time`]: TIME,
  [`${META}.MicroTime`]: TIME,
  [`${META}.FieldsV1`]: { type: 'object' },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {
    format: 'int-or-string',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
  },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object' },
};

const HEAD = {
  apiVersion: {
    type: 'string',
    description:
      'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized ' +
      'schemas to the latest internal value, and may reject unrecognized values. More info: ' +
      'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
  },
  kind: {
    type: 'string',
    description:
      'Kind is a string value representing the REST resource this object represents. Servers may infer this from the ' +
      'endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ' +
      'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
  },
};

/** The schemas of the served kinds of one group and version, with everything that they refer to. */
export function schemasOf(group: string, version: string, served: readonly ResourceInfo[]): Record<string, JsonObject> {
  const schemas: Record<string, JsonObject> = {};
  const apiVersion = group === '' ? version : `${group}/${version}`;
  for (const info of served) {
    const kinds = [{ group, version, kind: info.kind }];
    const type = info.builtin ? typeOfKind(apiVersion, info.kind) : undefined;
    if (type === undefined) {
      schemas[customName(group, version, info.kind)] = customSchema(info, version, kinds, schemas);
      continue;
    }
    addType(type, schemas);
    const schema = schemas[type] ?? {};
    schemas[type] = {
      ...schema,
      properties: { ...HEAD, ...objectAt(schema, 'properties') },
      'x-kubernetes-group-version-kind': kinds,
    };
  }
  return schemas;
}

const customName = (group: string, version: string, kind: string): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`;

function customSchema(
  info: ResourceInfo,
  version: string,
  kinds: readonly JsonObject[],
  schemas: Record<string, JsonObject>,
): JsonObject {
  const schema = info.openApiSchema?.(version) ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  addType(OBJECT_META, schemas);
  const metadata = {
    allOf: [{ $ref: reference(OBJECT_META) }],
    description: "Standard object's metadata.",
  };
  return {
    ...schema,
    properties: { ...objectAt(schema, 'properties'), ...HEAD, metadata },
    'x-kubernetes-group-version-kind': kinds,
  };
}

function addType(name: string, schemas: Record<string, JsonObject>): void {
  if (Object.hasOwn(schemas, name)) return;
  const described = typeDescription(name);
  const description = described?.doc ? { description: described.doc } : {};
  schemas[name] = { ...SPECIAL[name], ...description };
  if (name in SPECIAL || described === undefined || described.fields.length === 0) return;
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const field of flattened(described.fields)) {
    properties[field.name] = fieldSchema(field, schemas);
    if (field.required === true && field.name !== 'metadata') required.push(field.name);
  }
  schemas[name] = { type: 'object', ...description, properties, ...(required.length === 0 ? {} : { required }) };
}

/** The fields as JSON shows them: those of embedded types stand beside the others. */
const flattened = (fields: readonly TypeField[]): readonly TypeField[] =>
  fields.flatMap((field) => (field.name === '' ? flattened(typeDescription(field.type)?.fields ?? []) : field));

function fieldSchema(field: TypeField, schemas: Record<string, JsonObject>): JsonObject {
  const description = field.doc === undefined ? {} : { description: field.doc };
  const one = valueSchema(field.type, schemas);
  if (field.of === 'list') return { type: 'array', items: one, ...description };
  if (field.of === 'map') return { type: 'object', additionalProperties: one, ...description };
  return { ...one, ...description };
}

function valueSchema(type: string, schemas: Record<string, JsonObject>): JsonObject {
  const scalar = SCALARS[type];
  if (isObject(scalar)) return scalar;
  addType(type, schemas);
  return { allOf: [{ $ref: reference(type) }] };
}
