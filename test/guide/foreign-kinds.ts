import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';

/** Kinds of the Prometheus Operator and of KEDA. */
const FOREIGN = [
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'PodMonitor', plural: 'podmonitors' },
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'ServiceMonitor', plural: 'servicemonitors' },
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'PrometheusRule', plural: 'prometheusrules' },
  { group: 'keda.sh', version: 'v1alpha1', kind: 'ScaledObject', plural: 'scaledobjects' },
];

/** Definitions of foreign kinds, without fields. */
export const foreignDefinitions = (): readonly KubernetesObject[] => FOREIGN.map(definitionOf);

const definitionOf = ({ group, version, kind, plural }: (typeof FOREIGN)[number]) =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }) as KubernetesObject;
