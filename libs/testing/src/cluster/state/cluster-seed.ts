import { randomUUID } from 'node:crypto';
import type { ApiObject } from '../objects/api-object.js';
import type { JsonObject } from '../objects/json.js';
import { type ClusterState, timestamp } from './cluster-state.js';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const RBAC = 'rbac.authorization.k8s.io';
const CLUSTER_ROLES = `clusterroles.${RBAC}`;

export const freshMetadata = (name: string, namespace?: string): ApiObject['metadata'] => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  uid: randomUUID(),
  resourceVersion: '0',
  creationTimestamp: timestamp(),
});

/** Puts the content of every fresh cluster into an empty one. */
export function seedCluster(cluster: ClusterState): void {
  for (const name of NAMESPACES) seedNamespace(cluster, name);
  cluster.storage.put('services', kubernetesService);
  for (const role of clusterRoles()) cluster.storage.put(CLUSTER_ROLES, role);
  seedBinding(cluster, 'cluster-admin', 'system:masters');
  seedBinding(cluster, 'system:basic-user', 'system:authenticated');
  seedBinding(cluster, 'system:discovery', 'system:authenticated');
}

function seedBinding({ storage }: ClusterState, role: string, group: string): void {
  storage.put(`clusterrolebindings.${RBAC}`, {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: freshMetadata(role),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: group }],
  });
}

function seedNamespace({ storage }: ClusterState, name: string): void {
  storage.put('namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { ...freshMetadata(name), labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
}

const kubernetesService: ApiObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...freshMetadata('kubernetes', 'default'), labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    clusterIP: '10.96.0.1',
    clusterIPs: ['10.96.0.1'],
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    sessionAffinity: 'None',
    type: 'ClusterIP',
  },
  status: { loadBalancer: {} },
};

const aggregatesTo = (role: string) => `${RBAC}/aggregate-to-${role}`;
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const BASIC = ['configmaps', 'endpoints', 'pods', 'serviceaccounts', 'services'];

function clusterRole(name: string, labels: Record<string, string>, rest: JsonObject): ApiObject {
  const metadata = { ...freshMetadata(name), labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels } };
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata, ...rest };
}

const aggregating = (role: string): JsonObject => ({
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregatesTo(role)]: 'true' } }] },
  rules: [],
});

/** Every user may ask for their own identity and rights. */
const SELF_REVIEWS = [
  {
    apiGroups: ['authorization.k8s.io'],
    resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    verbs: ['create'],
  },
  { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
];

/** Paths that every client must read before it can ask for anything. */
const DISCOVERY_PATHS = [
  ...['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez'],
  ...['/openapi', '/openapi/*', '/readyz', '/version', '/version/'],
];

/** Returns the user-facing roles that other roles aggregate to, with a little of their content. */
function clusterRoles(): ApiObject[] {
  const all = [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ];
  const to = (role: string) => ({ [aggregatesTo(role)]: 'true' });
  const rolesRule = { apiGroups: [RBAC], resources: ['rolebindings', 'roles'], verbs: [...READ, ...WRITE] };
  return [
    clusterRole('cluster-admin', {}, { rules: all }),
    clusterRole('system:basic-user', {}, { rules: SELF_REVIEWS }),
    clusterRole('system:discovery', {}, { rules: [{ nonResourceURLs: DISCOVERY_PATHS, verbs: ['get'] }] }),
    clusterRole('admin', {}, aggregating('admin')),
    clusterRole('edit', to('admin'), aggregating('edit')),
    clusterRole('view', to('edit'), aggregating('view')),
    clusterRole('system:aggregate-to-admin', to('admin'), { rules: [rolesRule] }),
    clusterRole('system:aggregate-to-edit', to('edit'), {
      rules: [{ apiGroups: [''], resources: BASIC, verbs: WRITE }],
    }),
    clusterRole('system:aggregate-to-view', to('view'), {
      rules: [{ apiGroups: [''], resources: BASIC, verbs: READ }],
    }),
  ];
}
