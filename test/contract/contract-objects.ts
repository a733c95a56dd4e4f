import type { KubernetesObject, ObjectRef } from '#core/api/kubernetes-object';

export const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
export const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

export const configMap = (
  namespace: string,
  name: string,
  data: Record<string, string> = {},
  metadata: Record<string, unknown> = {},
): KubernetesObject => ({ ...CONFIG_MAP, metadata: { name, namespace, ...metadata }, data });

export const configMapRef = (namespace: string, name: string): ObjectRef => ({ ...CONFIG_MAP, namespace, name });

/** A namespaced kind `Buoy` of a group of its own, with a status subresource and a schema. */
export function buoyCrd(group: string): KubernetesObject {
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { depth: { type: 'integer', minimum: 1 }, colour: { type: 'string' } } },
      status: { type: 'object', properties: { phase: { type: 'string' } } },
    },
  };
  return {
    ...CRD,
    metadata: { name: `buoys.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'buoys', singular: 'buoy', kind: 'Buoy', listKind: 'BuoyList' },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: schema } },
      ],
    },
  };
}
