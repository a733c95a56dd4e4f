import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';

/** The definition of a kind that plans write as it is, with unknown fields that the API server warns of. */
export const SERVICE_MONITORS: KubernetesObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'servicemonitors.monitoring.coreos.com' },
  spec: {
    group: 'monitoring.coreos.com',
    scope: 'Namespaced',
    names: {
      kind: 'ServiceMonitor',
      plural: 'servicemonitors',
      singular: 'servicemonitor',
      listKind: 'ServiceMonitorList',
    },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: {} } } } },
      },
    ],
  },
};

/** A ServiceMonitor with a field that its definition does not have. */
export const oddMonitor = (namespace: string): KubernetesObject => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: { name: 'gear', namespace },
  spec: { oddity: true },
});
