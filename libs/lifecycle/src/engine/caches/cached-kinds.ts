import { keptOfCopy } from '#core/classic/csv/copies/copy-content';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { CachedKind } from '#platform/kube/cache/cluster-cache';
import { withManagersOnly, withoutManagedFields } from '#platform/kube/client/managed-fields';

const MANAGED = 'olm.managed=true';

const core = (kind: string): CachedKind => ({ apiVersion: 'v1', kind });
const rbac = (kind: string): CachedKind => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind });
const olm = (kind: string, version: string): CachedKind => ({ apiVersion: `operators.coreos.com/${version}`, kind });

/**
 * Keeps managers and timestamps: a changed Role or ServiceAccount revives plans and CSVs that lacked rights
 * (`#core/kernel/rbac/rights-changed`).
 */
const withTimes = (kind: CachedKind): CachedKind => ({ ...kind, reduce: withManagersOnly });

/** Cached without data: passes need existence and owner only, and Secret values must not stay in memory. */
const managed = (kind: string): CachedKind => ({ ...core(kind), labelSelector: MANAGED, reduce: withoutData });

/** Copies are compared with their originals by digest. */
const withoutCopies = (csv: KubernetesObject): KubernetesObject => keptOfCopy(withoutManagedFields(csv));

/** The kinds of which a pass reads whole lists, most of them each time. */
export const CACHED_KINDS: readonly CachedKind[] = [
  ...['Subscription', 'InstallPlan', 'CatalogSource'].map((kind) => olm(kind, 'v1alpha1')),
  { ...olm('ClusterServiceVersion', 'v1alpha1'), reduce: withoutCopies },
  ...['Operator', 'OLMConfig'].map((kind) => olm(kind, 'v1')),
  olm('OperatorCondition', 'v2'),
  core('Namespace'),
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  ...['ClusterRole', 'ClusterRoleBinding'].map(rbac),
  ...[olm('OperatorGroup', 'v1'), core('ServiceAccount'), rbac('Role'), rbac('RoleBinding')].map(withTimes),
  ...['Service', 'Secret', 'ConfigMap'].map(managed),
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', labelSelector: MANAGED, reduce: withoutStatus },
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
