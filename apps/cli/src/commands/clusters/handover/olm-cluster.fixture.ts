import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { put } from '../../../clusters/live-objects.fixture.js';

type ClusterToFill = Parameters<typeof put>[0] & Readonly<{ get: (ref: ObjectRef) => KubernetesObject | undefined }>;

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
export const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };

/** A Deployment as OLM's release has it, or as OLM makes it for an operator. */
export function deployment(namespace: string, name: string, owner?: string): KubernetesObject {
  const labels = { app: name };
  const olm = owner === undefined ? {} : { 'olm.owner': owner, 'olm.owner.namespace': namespace };
  return {
    ...DEPLOYMENT,
    metadata: { name, namespace, labels: olm },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: `r.example/${name}:1` }] } },
    },
  };
}

export function pod(namespace: string, name: string, labels: Record<string, string>): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: 'main', image: 'r.example/a:1' }] },
  };
}

const csv = (namespace: string, name: string, finalizers: string[] = []) => ({
  apiVersion: V1ALPHA1,
  kind: 'ClusterServiceVersion',
  metadata: { name, namespace, finalizers },
  spec: { displayName: name, install: { strategy: 'deployment', spec: { deployments: [] } } },
  status: { phase: 'Succeeded', reason: 'InstallSucceeded' },
});

/** OLM as its release installs it: a catalog, the package server, and an operator. */
export function installOlm(cluster: ClusterToFill): void {
  const make = (object: unknown) => cluster.create(object as KubernetesObject);
  for (const name of ['olm', 'team']) make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const name of ['olm-operator', 'catalog-operator']) make(deployment('olm', name));
  make({
    apiVersion: V1ALPHA1,
    kind: 'CatalogSource',
    metadata: { name: 'shelf', namespace: 'olm' },
    spec: { sourceType: 'grpc', image: 'r.example/shelf:1' },
  });
  const uid = cluster.get(at(V1ALPHA1, 'CatalogSource', 'shelf', 'olm'))?.metadata.uid;
  make(pod('olm', 'shelf-x1', { 'olm.catalogSource': 'shelf' }));
  make({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'shelf',
      namespace: 'olm',
      ownerReferences: [{ apiVersion: V1ALPHA1, kind: 'CatalogSource', name: 'shelf', uid }],
    },
    spec: { ports: [{ port: 50051 }], selector: { 'olm.catalogSource': 'shelf' } },
  });
  put(cluster, csv('olm', 'packageserver', ['operators.coreos.com/csv-cleanup']));
  make(deployment('olm', 'packageserver', 'packageserver'));
  make({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'packageserver-1', labels: { 'olm.owner': 'packageserver', 'olm.owner.namespace': 'olm' } },
    rules: [],
  });
  make({
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: { name: 'own', namespace: 'team' },
    spec: {},
  });
  put(cluster, csv('team', 'mill.v1'));
  make(deployment('team', 'mill', 'mill.v1'));
  make(pod('team', 'mill-1', { app: 'mill' }));
}

export const at = (apiVersion: string, kind: string, name: string, namespace?: string): ObjectRef => ({
  apiVersion,
  kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});
