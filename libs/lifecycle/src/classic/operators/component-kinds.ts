import { API_SERVICE } from '#core/classic/csv/serving/api-services';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { KIND } from '#core/kernel/api/kinds';
import { OPERATOR_CONDITION_API } from '#core/kernel/api/operator-condition';
import type { KindRef } from '#platform/kube/client/kube-client.port';

export const CRD = KIND.CustomResourceDefinition;
export const NAMESPACE = KIND.Namespace;

/**
 * Kinds a CSV's parts are of: in its namespace, those that carry `olm.managed` alone, and
 * cluster-wide (csv-lifecycle.md §12).
 */
export const ALL_OF_NAMESPACE: readonly KindRef[] = [
  KIND.ServiceAccount,
  KIND.Role,
  KIND.RoleBinding,
  KIND.Deployment,
  OPERATOR_CONDITION_API,
];
export const MANAGED_OF_NAMESPACE: readonly KindRef[] = [KIND.Service, KIND.Secret, KIND.ConfigMap];
/** Kinds that a copy of a CSV brings into its namespace. */
export const COPIED: readonly KindRef[] = [KIND.Role, KIND.RoleBinding];
export const OF_CLUSTER: readonly KindRef[] = [KIND.ClusterRole, KIND.ClusterRoleBinding];

const OF_NAMESPACES: readonly KindRef[] = [...ALL_OF_NAMESPACE, KIND.Subscription, KIND.InstallPlan, CSV_API];
/** Kinds of components that a cluster's cache has all names and labels for. */
export const HELD_COMPONENTS: readonly KindRef[] = [...OF_NAMESPACES, ...OF_CLUSTER, NAMESPACE];
/** Every kind that an Operator gathers (csv-lifecycle.md §12). */
export const COMPONENTS: readonly KindRef[] = [...HELD_COMPONENTS, ...MANAGED_OF_NAMESPACE, CRD, API_SERVICE];
