import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';

const b64 = (text: string): string => Buffer.from(text).toString('base64');
const encoded = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, b64(value)]));

export const CA = b64('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n');

type Metadata = Readonly<{ labels?: Record<string, string>; annotations?: Record<string, string> }>;

/**
 * A cluster Secret of Argo CD, as its page has it
 * (https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters).
 */
export function argoSecret(
  config: object | string,
  { name = 'mycluster.example.com', server = 'https://mycluster.example.com', metadata = {} as Metadata } = {},
  secretName = 'mycluster-secret',
): KubernetesObject {
  const { labels, annotations } = metadata;
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
    metadata: {
      ...{ name: secretName, namespace: 'argocd' },
      labels: { 'argocd.argoproj.io/secret-type': 'cluster', ...labels },
      ...(annotations === undefined ? {} : { annotations }),
    },
    data: encoded({ name, server, config: text }),
  };
}

/** The `config` of that page: a token and an authority. */
export const ARGO_TOKEN = { bearerToken: 'authentication-token', tlsClientConfig: { insecure: false, caData: CA } };

/** A kubeconfig as Cluster API writes it (util/kubeconfig/kubeconfig.go, `New`). */
export const capiKubeconfig = (
  name: string,
  user: object = { 'client-certificate-data': CA, 'client-key-data': CA },
) => ({
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': `${name}-admin@${name}`, preferences: {} },
  clusters: [{ name, cluster: { server: 'https://10.0.0.5:6443', 'certificate-authority-data': CA } }],
  contexts: [{ name: `${name}-admin@${name}`, context: { cluster: name, user: `${name}-admin` } }],
  users: [{ name: `${name}-admin`, user }],
});

/**
 * The kubeconfig Secret of a Cluster
 * (https://main.cluster-api.sigs.k8s.io/developer/core/controllers/cluster).
 */
export const capiSecret = (name: string, kubeconfig: unknown, namespace = 'clusters'): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Secret', type: 'cluster.x-k8s.io/secret' },
  metadata: { name: `${name}-kubeconfig`, namespace, labels: { 'cluster.x-k8s.io/cluster-name': name } },
  data: encoded({ value: typeof kubeconfig === 'string' ? kubeconfig : JSON.stringify(kubeconfig) }),
});

export const capiCluster = (name: string, labels: Record<string, string> = {}): KubernetesObject => ({
  ...{ apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster' },
  metadata: { name, namespace: 'clusters', labels },
  spec: { clusterNetwork: {}, controlPlaneEndpoint: { host: '10.0.0.5', port: 6443 } },
  status: { phase: 'Provisioned', controlPlaneReady: true, infrastructureReady: true },
});

/** A Cluster of Rancher (pkg/apis/provisioning.cattle.io/v1, `ClusterStatus`). */
export const rancherCluster = (name: string, status: object = {}): KubernetesObject => ({
  ...{ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster' },
  metadata: {
    ...{ name, namespace: 'fleet-default', labels: { 'provider.cattle.io': 'rke2', env: 'prod' } },
    annotations: { 'field.cattle.io/creatorId': 'user-abcde', 'objectset.rio.cattle.io/applied': 'H4sIAAAA' },
  },
  spec: { kubernetesVersion: 'v1.33.5+rke2r1', rkeConfig: {} },
  status: { clusterName: 'c-m-abcdefgh', ready: true, ...status },
});

/** A ManagedCluster (https://open-cluster-management.io/docs/concepts/cluster-inventory/managedcluster/). */
export const managedCluster = (name: string, hubAcceptsClient = true): KubernetesObject => ({
  ...{ apiVersion: 'cluster.open-cluster-management.io/v1', kind: 'ManagedCluster' },
  metadata: {
    name,
    labels: {
      'cluster.open-cluster-management.io/clusterset': 'default',
      'feature.open-cluster-management.io/addon-work-manager': 'available',
      vendor: 'OpenShift',
    },
    annotations: { 'agent.open-cluster-management.io/klusterlet-config': 'default' },
  },
  spec: { hubAcceptsClient, leaseDurationSeconds: 60 },
  status: { clusterClaims: [{ name: 'id.k8s.io', value: name }] },
});
