import { WEBHOOK_CONFIGURATION_KINDS } from '../../kernel/admission/webhook-refusal.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { allCrds, csvNamespace, ownedApiServices, requiredApiServices, webhooks } from '../../kernel/api/csv-facts.js';
import { KIND, type NamedKind } from '../../kernel/api/kinds.js';
import type { ObjectRef } from '../../kernel/api/kubernetes-object.js';
import { csvOwnerLabels } from '../../kernel/api/owner-labels.js';
import { authReaderName } from './certificates/serving-names.js';
import { servingServices } from './certificates/serving-service.js';
import { CLUSTER_PROXY } from './world/cluster-proxy.js';
import type { CsvReads, ListRead } from './world/csv-world.js';

/**
 * Returns the reads that the shell needs to build a {@link CsvWorld} for this CSV. Subscriptions and similar
 * objects come as lists.
 */
export function readsForCsv(csv: ClusterServiceVersion): CsvReads {
  const namespace = csvNamespace(csv);
  const here = (kind: NamedKind): ListRead => ({ ...KIND[kind], namespace });
  const apiServices = [...ownedApiServices(csv), ...requiredApiServices(csv)];
  const refs: ObjectRef[] = [
    CLUSTER_PROXY,
    ...allCrds(csv).map(({ name }) => ({
      ...KIND.CustomResourceDefinition,
      name,
    })),
    ...apiServices.map(({ group, version }) => ({
      ...KIND.APIService,
      name: `${version}.${group}`,
    })),
    ...servingServices(csv).flatMap((service) => [
      { ...KIND.Service, name: service.name, namespace },
      { ...KIND.RoleBinding, name: authReaderName(service), namespace: 'kube-system' },
    ]),
  ];
  const lists: ListRead[] = [
    here('ClusterServiceVersion'),
    KIND.OperatorGroup,
    here('Subscription'),
    here('OperatorCondition'),
    here('ServiceAccount'),
    here('Deployment'),
    ...(ownedApiServices(csv).length > 0 ? [here('Pod')] : []),
    here('Role'),
    here('RoleBinding'),
    KIND.ClusterRole,
    KIND.ClusterRoleBinding,
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

/** True if the API server calls the operator, or once did: the objects made for that must be read. */
const isCalled = (csv: ClusterServiceVersion): boolean =>
  webhooks(csv).length > 0 || ownedApiServices(csv).length > 0 || Boolean(csv.status?.certsRotateAt);

/** Selects cluster-scoped RBAC with the CSV's owner labels: it must be gone before the CSV may go. */
export const rightsOf = (csv: ClusterServiceVersion): readonly ListRead[] =>
  [KIND.ClusterRole, KIND.ClusterRoleBinding].map((kind) => ({ ...kind, labelSelector: ownerSelector(csv) }));

const ownerSelector = (csv: ClusterServiceVersion): string =>
  Object.entries(csvOwnerLabels(csv))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

function callersOf(csv: ClusterServiceVersion): readonly ListRead[] {
  const labelSelector = ownerSelector(csv);
  return [
    ...WEBHOOK_CONFIGURATION_KINDS.map((kind) => ({ ...KIND[kind], labelSelector })),
    { ...KIND.RoleBinding, namespace: 'kube-system', labelSelector },
  ];
}
