import { keptOfCopy } from '#core/classic/csv/copies/copy-content';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { MANAGED_SELECTOR } from '#core/kernel/api/owner-labels';
import type { CachedKind } from '#platform/kube/cache/cluster-cache';
import { withManagersOnly, withoutManagedFields } from '#platform/kube/client/managed-fields';

/**
 * Keeps managers and timestamps: a changed Role or ServiceAccount revives plans and CSVs that lacked rights
 * (`#core/kernel/rbac/rights-changed`).
 */
const withTimes = (kind: CachedKind): CachedKind => ({ ...kind, reduce: withManagersOnly });

/** Cached without data: passes need existence and owner only, and Secret values must not stay in memory. */
const managed = (kind: CachedKind): CachedKind => ({ ...kind, labelSelector: MANAGED_SELECTOR, reduce: withoutData });

/** Copies are compared with their originals by digest. */
const withoutCopies = (csv: KubernetesObject): KubernetesObject => keptOfCopy(withoutManagedFields(csv));

/** The kinds that a pass reads as whole lists, most of them in every pass. */
export const CACHED_KINDS: readonly CachedKind[] = [
  ...[KIND.Subscription, KIND.InstallPlan, KIND.CatalogSource],
  { ...KIND.ClusterServiceVersion, reduce: withoutCopies },
  ...[KIND.Operator, KIND.OLMConfig, KIND.OperatorCondition, KIND.Namespace],
  KIND.Deployment,
  ...[KIND.ClusterRole, KIND.ClusterRoleBinding],
  ...[KIND.OperatorGroup, KIND.ServiceAccount, KIND.Role, KIND.RoleBinding].map(withTimes),
  ...[KIND.Service, KIND.Secret, KIND.ConfigMap].map(managed),
  { ...KIND.APIService, labelSelector: MANAGED_SELECTOR, reduce: withoutStatus },
  ...[CLUSTER_EXTENSION_API, CLUSTER_OBJECT_SET_API],
];

/** Cached for its owner alone: a pass over its operator asks for the whole. */
function withoutStatus({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { managedFields: _managers, ...rest } = metadata;
  return { apiVersion, kind, metadata: rest };
}

function withoutData(object: KubernetesObject): KubernetesObject {
  const { data: _data, stringData: _stringData, binaryData: _binaryData, ...rest } = withoutManagedFields(object);
  // kubectl stores the last applied object in an annotation, data included.
  const { annotations: _annotations, ...metadata } = rest.metadata;
  return { ...rest, metadata } as KubernetesObject;
}
