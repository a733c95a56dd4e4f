import type { ClusterServiceVersion } from '../api/cluster-service-version.js';
import type { ObjectRef } from '../api/kubernetes-object.js';
import { allCrds, csvNamespace, ownedApiServices, requiredApiServices } from './csv-facts.js';
import type { CsvReads, ListRead } from './csv-world.js';

const RBAC = 'rbac.authorization.k8s.io/v1';

/** What the shell must read to build a {@link CsvWorld} for this CSV. Subscriptions and the like come as lists. */
export function readsForCsv(csv: ClusterServiceVersion): CsvReads {
  const namespace = csvNamespace(csv);
  const here = (apiVersion: string, kind: string): ListRead => ({ apiVersion, kind, namespace });
  const apiServices = [...ownedApiServices(csv), ...requiredApiServices(csv)];
  const refs: ObjectRef[] = [
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
  ];
  const lists: ListRead[] = [
    here('operators.coreos.com/v1alpha1', 'ClusterServiceVersion'),
    { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' },
    here('operators.coreos.com/v1alpha1', 'Subscription'),
    here('operators.coreos.com/v2', 'OperatorCondition'),
    here('v1', 'ServiceAccount'),
    here('apps/v1', 'Deployment'),
    here(RBAC, 'Role'),
    here(RBAC, 'RoleBinding'),
    { apiVersion: RBAC, kind: 'ClusterRole' },
    { apiVersion: RBAC, kind: 'ClusterRoleBinding' },
  ];
  const served = [...(csv.spec.nativeAPIs ?? []), ...requiredApiServices(csv)].map(({ group, version, kind }) => ({
    group,
    version,
    kind,
  }));
  return { refs, lists, served };
}
