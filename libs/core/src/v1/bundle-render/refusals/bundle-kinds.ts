/**
 * Kinds of manifests that OLM v1 installs in addition to CRDs; true if the kind is namespaced (spec:
 * v1-apply.md §2).
 */
const NAMESPACED: ReadonlyMap<string, boolean> = new Map([
  ...[
    ...['Service', 'ServiceAccount', 'Role', 'RoleBinding', 'Secret', 'ConfigMap', 'PodDisruptionBudget'],
    ...['NetworkPolicy', 'PrometheusRule', 'ServiceMonitor', 'PodMonitor'],
  ].map((kind): [string, boolean] => [kind, true]),
  ...[
    ...['ClusterRole', 'ClusterRoleBinding', 'PriorityClass', 'VerticalPodAutoscaler', 'ConsoleYAMLSample'],
    ...['ConsoleQuickStart', 'ConsoleCLIDownload', 'ConsoleLink', 'ConsolePlugin'],
  ].map((kind): [string, boolean] => [kind, false]),
]);

/** Only the kind counts, not its group, as in OLM v1. */
export const isSupportedKind = (kind: string): boolean => NAMESPACED.has(kind);

/** True if a supported kind is put into the install namespace. */
export const isNamespacedKind = (kind: string): boolean => NAMESPACED.get(kind) ?? false;
