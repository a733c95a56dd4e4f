import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { allCrds, csvNamespace, ownedApiServices, requiredApiServices, webhooks } from '../../kernel/api/csv-facts.js';
import type { ObjectRef } from '../../kernel/api/kubernetes-object.js';
import { csvOwnerLabels } from '../../kernel/api/owner-labels.js';
import { authReaderName } from './certificates/serving-names.js';
import { servingServices } from './certificates/serving-service.js';
import { CLUSTER_PROXY } from './world/cluster-proxy.js';
import type { CsvReads, ListRead } from './world/csv-world.js';

export const RBAC = 'rbac.authorization.k8s.io/v1';
export const ADMISSION = 'admissionregistration.k8s.io/v1';
export const WEBHOOK_CONFIGURATIONS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const;

/**
 * What the shell must read to build a {@link CsvWorld} for this CSV. Subscriptions
 * and the like come as lists.
 */
export function readsForCsv(csv: ClusterServiceVersion): CsvReads {
  const namespace = csvNamespace(csv);
  const here = (apiVersion: string, kind: string): ListRead => ({ apiVersion, kind, namespace });
  const apiServices = [...ownedApiServices(csv), ...requiredApiServices(csv)];
  const refs: ObjectRef[] = [
    CLUSTER_PROXY,
    ...allCrds(csv).map(({ name }) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name,
    })),
    ...apiServices.map(({ group, version }) => ({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      name: `${version}.${group}`,
    })),
    ...servingServices(csv).flatMap((service) => [
      { apiVersion: 'v1', kind: 'Service', name: service.name, namespace },
      { apiVersion: RBAC, kind: 'RoleBinding', name: authReaderName(service), namespace: 'kube-system' },
    ]),
  ];
  const lists: ListRead[] = [
    here('operators.coreos.com/v1alpha1', 'ClusterServiceVersion'),
    { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' },
    here('operators.coreos.com/v1alpha1', 'Subscription'),
    here('operators.coreos.com/v2', 'OperatorCondition'),
    here('v1', 'ServiceAccount'),
    here('apps/v1', 'Deployment'),
    ...(ownedApiServices(csv).length > 0 ? [here('v1', 'Pod')] : []),
    here(RBAC, 'Role'),
    here(RBAC, 'RoleBinding'),
    { apiVersion: RBAC, kind: 'ClusterRole' },
    { apiVersion: RBAC, kind: 'ClusterRoleBinding' },
    ...(isCalled(csv) ? callersOf(csv) : []),
  ];
  const served = [...(csv.spec.nativeAPIs ?? []), ...apiServices].map(({ group, version, kind }) => ({
    group,
    version,
    kind,
  }));
  const certificates = servingServices(csv).map(({ secretName }) => secretName);
  return { refs, lists, served, certificates };
}

/** Whether the API server calls the operator, or did: the objects made for that have to be read. */
const isCalled = (csv: ClusterServiceVersion): boolean =>
  webhooks(csv).length > 0 || ownedApiServices(csv).length > 0 || Boolean(csv.status?.certsRotateAt);

/** Cluster-scoped RBAC with the CSV's owner labels: what must be gone before the CSV may go. */
export const rightsOf = (csv: ClusterServiceVersion): readonly ListRead[] =>
  ['ClusterRole', 'ClusterRoleBinding'].map((kind) => ({ apiVersion: RBAC, kind, labelSelector: ownerSelector(csv) }));

const ownerSelector = (csv: ClusterServiceVersion): string =>
  Object.entries(csvOwnerLabels(csv))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

function callersOf(csv: ClusterServiceVersion): readonly ListRead[] {
  const labelSelector = ownerSelector(csv);
  return [
    ...WEBHOOK_CONFIGURATIONS.map((kind) => ({ apiVersion: ADMISSION, kind, labelSelector })),
    { apiVersion: RBAC, kind: 'RoleBinding', namespace: 'kube-system', labelSelector },
  ];
}
