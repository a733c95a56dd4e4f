import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import type { AnyFleetKind } from '../../kernel/api/fleet/fleet-kinds.js';
import { fleetCrd } from './custom-resource.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Returns the JSON schema of a kind for editors and for checks in CI. Rules in CEL have no place in it: an
 * API server, `flotilla fleet plan -f` and `simulate` check those.
 */
export function editorSchema(kind: AnyFleetKind): JsonSchema {
  const { spec } = fleetCrd(kind) as unknown as Readonly<{
    spec: { scope: string; versions: readonly [{ schema: { openAPIV3Schema: JsonSchema } }] };
  }>;
  const { description, properties } = spec.versions[0].schema.openAPIV3Schema;
  const { spec: fields, status } = properties as Readonly<Record<'spec' | 'status', JsonSchema>>;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: kind,
    description,
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    additionalProperties: false,
    properties: {
      apiVersion: { const: FLEET_API },
      kind: { const: kind },
      metadata: {
        description: 'Name, labels and annotations of the object.',
        type: 'object',
        required: spec.scope === 'Namespaced' ? ['name', 'namespace'] : ['name'],
        properties: { name: { type: 'string' }, namespace: { type: 'string' } },
      },
      spec: forEditors(fields),
      status: forEditors(status),
    },
  };
}

const isDropped = (key: string): boolean => key.startsWith('x-kubernetes-');

/** A structural schema in draft 7: unknown fields are mistakes unless the API server keeps them. */
function forEditors(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties, pattern, minimum, ...rest } = schema;
  const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => !isDropped(key)));
  if (schema['x-kubernetes-int-or-string'] === true) {
    const number = { type: 'integer', ...(minimum === undefined ? {} : { minimum }) };
    const text = { type: 'string', ...(pattern === undefined ? {} : { pattern }) };
    return { ...kept, anyOf: [number, text] };
  }
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  return {
    ...kept,
    ...(pattern === undefined ? {} : { pattern }),
    ...(minimum === undefined ? {} : { minimum }),
    ...(items === undefined ? {} : { items: forEditors(items as JsonSchema) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: forEditors(additionalProperties as JsonSchema) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(fields.map(([name, one]) => [name, forEditors(one)])),
          ...(schema['x-kubernetes-preserve-unknown-fields'] === true ? {} : { additionalProperties: false }),
        }),
  };
}
