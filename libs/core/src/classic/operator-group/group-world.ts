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
  /** The ServiceAccount named by spec.serviceAccountName, where it is there. */
  serviceAccount: KubernetesObject | undefined;
  /** ClusterRoles of the cluster; those with another owner are ignored. */
  clusterRoles: readonly KubernetesObject[];
}>;

export type OperatorGroupStatus = NonNullable<OperatorGroup['status']>;

/** What one step decided: actions first, then the status (PUT of the subresource), then what comes after. */
export type OperatorGroupStep = Readonly<{
  actions: readonly Action[];
  status?: OperatorGroupStatus;
  afterwards: readonly Action[];
  /** Why the step could not do all it should, in OLM's words; it is tried again with back-off. */
  problem?: string;
}>;
