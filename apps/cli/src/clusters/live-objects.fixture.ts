import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import { type KubernetesObject, type ObjectRef, refOf } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';

const NAMESPACE = 'team';

/**
 * Builders of the objects of a small namespace that wants the package `mill` of the global catalog `samples`.
 */
export const catalogSource = (image = 'registry.example/samples:v1') => ({
  ...CATALOG_SOURCE_API,
  metadata: { name: 'samples', namespace: 'olm' },
  spec: { sourceType: 'grpc', image, displayName: 'Samples' },
  status: READY,
});
const READY = { connectionState: { lastObservedState: 'READY' } };

/**
 * Returns the objects of a catalog with its content in the cluster itself: the package `mill` with one
 * version.
 */
export function configMapCatalog(): readonly KubernetesObject[] {
  const { status: _none, metadata, ...rest } = csv('mill.v1.0.0', '');
  const data = {
    customResourceDefinitions: '[]',
    clusterServiceVersions: JSON.stringify([{ ...rest, metadata: { name: metadata.name } }]),
    packages: JSON.stringify([
      { packageName: 'mill', defaultChannel: 'stable', channels: [{ name: 'stable', currentCSV: 'mill.v1.0.0' }] },
    ]),
  };
  const spec = { sourceType: 'configmap', configMap: 'samples' };
  const where = { name: 'samples', namespace: 'olm' };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: where, data },
    { ...CATALOG_SOURCE_API, metadata: where, spec, status: READY },
  ];
}

export const operatorGroup = (namespace = NAMESPACE) => ({
  ...OPERATOR_GROUP_API,
  metadata: { name: 'group', namespace },
  spec: { targetNamespaces: [namespace] },
});

type SubscriptionOptions = Readonly<{ namespace?: string; package?: string; status?: object }>;

export const subscription = ({
  namespace = NAMESPACE,
  package: wanted = 'mill',
  status,
}: SubscriptionOptions = {}) => ({
  ...SUBSCRIPTION_API,
  metadata: { name: 'mill', namespace },
  spec: { name: wanted, channel: 'stable', source: 'samples', sourceNamespace: 'olm' },
  ...(status === undefined ? {} : { status: { lastUpdated: '2026-01-01T00:00:00Z', ...status } }),
});

export const csv = (name: string, phase: string, namespace = NAMESPACE, status: object = {}) => ({
  ...CSV_API,
  metadata: { name, namespace, finalizers: [CSV_CLEANUP_FINALIZER] },
  spec: {
    displayName: 'Mill',
    version: '1.0.0',
    install: { strategy: 'deployment', spec: { deployments: [] } },
    installModes: [{ type: 'OwnNamespace', supported: true }],
  },
  status: { phase, ...status },
});

export const installPlan = (name: string, approved: boolean, phase: string, namespace = NAMESPACE) => ({
  ...INSTALL_PLAN_API,
  metadata: { name, namespace },
  spec: { approval: 'Manual', approved, clusterServiceVersionNames: ['mill.v1.1.0'] },
  status: { phase, catalogSources: [], plan: [csvStep('mill.v1.1.0')] },
});

const csvStep = (name: string) => ({
  resolving: name,
  status: 'Unknown',
  resource: {
    sourceName: 'samples',
    sourceNamespace: 'olm',
    group: 'operators.coreos.com',
    version: 'v1alpha1',
    kind: CSV_API.kind,
    name,
    manifest: '{}',
  },
});

/** The methods of a simulated cluster that this fixture needs. */
type Storage = Readonly<{
  create(object: KubernetesObject): unknown;
  edit(ref: ObjectRef, change: (live: object) => void, subresource: 'status'): unknown;
}>;

/**
 * Puts an object into a simulated cluster, with its status. An API server drops the status of an object that
 * is created.
 */
export function put(cluster: Storage, object: KubernetesObject): void {
  cluster.create(object);
  const { status } = object;
  if (status !== undefined) {
    const change = (live: object) => Object.assign(live, { status });
    cluster.edit(refOf(object), change, 'status');
  }
}
