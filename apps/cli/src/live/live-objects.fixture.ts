import { CATALOG_SOURCE_API } from '#core/api/catalog-source';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/api/cluster-service-version';
import { INSTALL_PLAN_API } from '#core/api/install-plan';
import { type KubernetesObject, type ObjectRef, refOf } from '#core/api/kubernetes-object';
import { OPERATOR_GROUP_API } from '#core/api/operator-group';
import { SUBSCRIPTION_API } from '#core/api/subscription';

/** A small namespace `team` that wants the package `mill` of the global catalog `samples`. */
const NAMESPACE = 'team';

export const catalogSource = (status: object = { connectionState: { lastObservedState: 'READY' } }) => ({
  ...CATALOG_SOURCE_API,
  metadata: { name: 'samples', namespace: 'olm' },
  spec: { sourceType: 'grpc', image: 'registry.example/samples:v1', displayName: 'Samples' },
  status,
});

export const operatorGroup = () => ({
  ...OPERATOR_GROUP_API,
  metadata: { name: 'team', namespace: NAMESPACE },
  spec: { targetNamespaces: [NAMESPACE] },
});

export const subscription = (installed: boolean) => ({
  ...SUBSCRIPTION_API,
  metadata: { name: 'mill', namespace: NAMESPACE },
  spec: { name: 'mill', channel: 'stable', source: 'samples', sourceNamespace: 'olm' },
  ...(installed
    ? {
        status: {
          installedCSV: 'mill.v1.0.0',
          currentCSV: 'mill.v1.1.0',
          state: 'UpgradePending',
          lastUpdated: '2026-01-01T00:00:00Z',
        },
      }
    : {}),
});

export const csv = (name: string, phase: string) => ({
  ...CSV_API,
  metadata: { name, namespace: NAMESPACE, finalizers: [CSV_CLEANUP_FINALIZER] },
  spec: { displayName: 'Mill', version: '1.0.0', install: { strategy: 'deployment', spec: { deployments: [] } } },
  status: { phase },
});

export const installPlan = (name: string, approved: boolean, phase: string) => ({
  ...INSTALL_PLAN_API,
  metadata: { name, namespace: NAMESPACE },
  spec: { approval: 'Manual', approved, clusterServiceVersionNames: ['mill.v1.1.0'] },
  status: {
    phase,
    catalogSources: [],
    plan: [
      {
        resolving: 'mill.v1.1.0',
        status: 'Unknown',
        resource: {
          sourceName: 'samples',
          sourceNamespace: 'olm',
          group: CSV_API.apiVersion.split('/')[0] ?? '',
          version: 'v1alpha1',
          kind: CSV_API.kind,
          name: 'mill.v1.1.0',
          manifest: '{}',
        },
      },
    ],
  },
});

/** What of a simulated cluster is needed here. */
type Storage = Readonly<{
  create(object: KubernetesObject): unknown;
  edit(ref: ObjectRef, change: (live: object) => void, subresource: 'status'): unknown;
}>;

/** Puts an object into a simulated cluster, its status too, which an API server drops when an object is created. */
export function put(cluster: Storage, object: KubernetesObject): void {
  cluster.create(object);
  const { status } = object;
  if (status !== undefined) {
    const change = (live: object) => Object.assign(live, { status });
    cluster.edit(refOf(object), change, 'status');
  }
}
