import type { Action } from '../../kernel/actions/action.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';

/** The input of a step of an OperatorGroup. */
export type OperatorGroupWorld = Readonly<{
  now: Date;
  /** Groups of the same namespace, this one included. */
  operatorGroups: readonly OperatorGroup[];
  /** All Namespaces of the cluster. */
  namespaces: readonly KubernetesObject[];
  /** CSVs of the group's namespace, copied ones included. */
  csvs: readonly ClusterServiceVersion[];
  /** The ServiceAccount named by spec.serviceAccountName, if it exists. */
  serviceAccount: KubernetesObject | undefined;
  /** ClusterRoles of the cluster; those with another owner are ignored. */
  clusterRoles: readonly KubernetesObject[];
}>;

export type OperatorGroupStatus = NonNullable<OperatorGroup['status']>;

/**
 * The decision of one step: actions first, then the status (PUT of the subresource), then the actions that
 * follow it.
 */
export type OperatorGroupStep = Readonly<{
  actions: readonly Action[];
  status?: OperatorGroupStatus;
  afterwards: readonly Action[];
  /** The reason the step is incomplete, in OLM's words. It is retried with back-off. */
  problem?: string;
}>;
