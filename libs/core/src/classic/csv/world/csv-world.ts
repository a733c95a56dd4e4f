import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion, CsvStatus } from '../../../kernel/api/cluster-service-version.js';
import type { KubernetesObject, ObjectRef } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorCondition } from '../../../kernel/api/operator-condition.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { servedKey } from '../../../kernel/api/served-key.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import type { ServingCertificate } from '../certificates/serving-certificate.js';

/**
 * The input of one step of a ClusterServiceVersion: a plain snapshot from the reads in {@link readsForCsv}.
 * "Of the namespace" means the CSV's own namespace. A list that was not read is empty.
 */
export type CsvWorld = Readonly<{
  now: Date;
  /** CSVs of the namespace, the one being stepped and copied ones included. */
  csvs: readonly ClusterServiceVersion[];
  /** OperatorGroups of the namespace. */
  operatorGroups: readonly OperatorGroup[];
  /** OperatorGroups of all other namespaces: their provided APIs may intersect. */
  otherOperatorGroups: readonly OperatorGroup[];
  /** Subscriptions of the namespace: the one with the CSV as status.installedCSV gives its `config`. */
  subscriptions: readonly Subscription[];
  /** CustomResourceDefinitions by name; absent means the cluster has none of that name. */
  crds: ReadonlyMap<string, KubernetesObject>;
  /** APIServices by name (`<version>.<group>`). */
  apiServices: ReadonlyMap<string, KubernetesObject>;
  /** ServiceAccounts, Roles, RoleBindings and Deployments of the namespace. */
  serviceAccounts: readonly KubernetesObject[];
  roles: readonly KubernetesObject[];
  roleBindings: readonly KubernetesObject[];
  deployments: readonly KubernetesObject[];
  /** Services in front of the operator's Deployments, by name. */
  services: ReadonlyMap<string, KubernetesObject>;
  /** Pods of the namespace; read only for a CSV that serves APIs. */
  pods: readonly KubernetesObject[];
  clusterRoles: readonly KubernetesObject[];
  clusterRoleBindings: readonly KubernetesObject[];
  /** OperatorConditions of the namespace by name. */
  operatorConditions: ReadonlyMap<string, OperatorCondition>;
  /**
   * Serving certificates of the operator, by the name of the Secret. Absent if there is none or it cannot be
   * read.
   */
  servingCertificates: ReadonlyMap<string, ServingCertificate>;
  /** Certificates made for this step, for the Secrets that `certificatesToIssue` names. */
  issuedCertificates: ReadonlyMap<string, ServingCertificate>;
  /** Validating- and MutatingWebhookConfigurations that carry this CSV's owner labels. */
  webhookConfigurations: readonly KubernetesObject[];
  /**
   * RoleBindings in kube-system that carry this CSV's owner labels, or the name of the
   * auth-reader of one of its Services.
   */
  authReaders: readonly KubernetesObject[];
  /** The Proxy `cluster` of an OpenShift cluster. */
  clusterProxy?: KubernetesObject | undefined;
  /** gitVersion of the API server, such as `v1.34.4`; undefined when discovery failed. */
  serverVersion: string | undefined;
  /** Requested kinds, as {@link servedKey}, that discovery serves. */
  servedKinds: ReadonlySet<string>;
}>;

/** A list the shell must read before a step; without `namespace` of the whole cluster. */
export type ListRead = Readonly<{
  apiVersion: string;
  kind: string;
  namespace?: string;
  labelSelector?: string;
}>;

/** The reads of one step. `served` are kinds to ask discovery for. */
export type CsvReads = Readonly<{
  refs: readonly ObjectRef[];
  lists: readonly ListRead[];
  served: readonly Readonly<{ group: string; version: string; kind: string }>[];
  /** Secrets of the namespace with certificates, by name. */
  certificates: readonly string[];
}>;

/** Time of the next step of the same CSV if no other change is observed. */
export type Again =
  /** At once, after re-reading: this step moved on and the next may move further. */
  | Readonly<{ again: 'now' }>
  /**
   * After a pause: the step waits for something outside the cluster's events. The shell
   * retries with growing pauses.
   */
  | Readonly<{ again: 'later'; afterMs: number; because: string }>;

/**
 * The decision of one step. The shell performs `actions` in order, then writes `status` (PUT of the status
 * subresource, with the resourceVersion read), then performs `afterwards` (events; work that must not hold up
 * the status). When an action marked by `installing` fails, the shell calls {@link installFailed} instead of
 * writing `status`.
 */
export type CsvStep = Readonly<{
  actions: readonly Action[];
  /** The whole new status, only when it differs from the one read. */
  status?: CsvStatus;
  afterwards: readonly Action[];
  next?: Again;
  /**
   * True when `actions` install the operator: they run as the group's service account,
   * and failures are verdicts.
   */
  installing?: boolean;
  /** The rights that an installing step has, as a hash: see {@link rightsOfInstall}. */
  underRights?: string;
  /** The install that an installing step tries, as a hash. */
  installHash?: string;
  /**
   * True for the last step of a CSV that is being deleted. Later steps do not search for objects with its
   * owner labels. The shell takes the step only if the API server confirms that there are none.
   */
  releasing?: boolean;
}>;
