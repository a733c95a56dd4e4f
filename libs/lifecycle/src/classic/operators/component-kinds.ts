import { API_SERVICE } from '#core/classic/csv/serving/api-services';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { OPERATOR_CONDITION_API } from '#core/kernel/api/operator-condition';
import type { KindRef } from '#platform/kube/client/kube-client.port';

const core = (kind: string): KindRef => ({ apiVersion: 'v1', kind });
const rbac = (kind: string): KindRef => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind });

export const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
export const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' } as const;

/**
 * Kinds a CSV's parts are of: in its namespace, those that carry `olm.managed` alone, and
 * cluster-wide (csv-lifecycle.md §12).
 */
export const ALL_OF_NAMESPACE: readonly KindRef[] = [
  core('ServiceAccount'),
  rbac('Role'),
  rbac('RoleBinding'),
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  OPERATOR_CONDITION_API,
];
export const MANAGED_OF_NAMESPACE: readonly KindRef[] = [core('Service'), core('Secret'), core('ConfigMap')];
/** Kinds that a copy of a CSV brings into its namespace. */
export const COPIED: readonly KindRef[] = [rbac('Role'), rbac('RoleBinding')];
export const OF_CLUSTER: readonly KindRef[] = [rbac('ClusterRole'), rbac('ClusterRoleBinding')];

const OF_NAMESPACES: readonly KindRef[] = [
  ...ALL_OF_NAMESPACE,
  { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' },
  { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' },
  CSV_API,
];
/** Kinds of components of which a cluster's cache has all names and labels. */
export const HELD_COMPONENTS: readonly KindRef[] = [...OF_NAMESPACES, ...OF_CLUSTER, NAMESPACE];
/** Every kind that an Operator gathers (csv-lifecycle.md §12). */
export const COMPONENTS: readonly KindRef[] = [...HELD_COMPONENTS, ...MANAGED_OF_NAMESPACE, CRD, API_SERVICE];
