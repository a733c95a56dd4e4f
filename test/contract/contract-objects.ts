import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';

export const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
export const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

export const configMap = (
  namespace: string,
  name: string,
  data: Record<string, string> = {},
  metadata: Record<string, unknown> = {},
): KubernetesObject => ({ ...CONFIG_MAP, metadata: { name, namespace, ...metadata }, data });

export const configMapRef = (namespace: string, name: string): ObjectRef => ({ ...CONFIG_MAP, namespace, name });

const rule = (text: string, message: string, more: Record<string, string> = {}) => ({
  'x-kubernetes-validations': [{ rule: text, message, ...more }],
});

/** A namespaced kind `Buoy` of a group of its own, with status and scale, a schema, and rules in it. */
export function buoyCrd(group: string): KubernetesObject {
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          depth: { type: 'integer', minimum: 1 },
          colour: { type: 'string' },
          harbour: { type: 'string', maxLength: 20, ...rule('self == oldSelf', 'harbour is immutable') },
          lamps: { type: 'integer', maximum: 9 },
          light: { type: 'string', maxLength: 20, ...rule("self.matches('^[a-z]+$')", 'light must be a word') },
        },
        ...rule('!has(self.light) || has(self.lamps)', 'a light needs lamps', { reason: 'FieldValueForbidden' }),
      },
      status: { type: 'object', properties: { phase: { type: 'string' }, lamps: { type: 'integer' } } },
    },
  };
  const subresources = {
    status: {},
    scale: { specReplicasPath: '.spec.lamps', statusReplicasPath: '.status.lamps' },
  };
  return {
    ...CRD,
    metadata: { name: `buoys.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'buoys', singular: 'buoy', kind: 'Buoy', listKind: 'BuoyList' },
      versions: [{ name: 'v1', served: true, storage: true, subresources, schema: { openAPIV3Schema: schema } }],
    },
  };
}
