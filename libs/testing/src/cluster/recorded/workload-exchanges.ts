import { NAMESPACE, type RecordedExchange } from './exchange.js';

const core = (resource: string) => `/api/v1/namespaces/${NAMESPACE}/${resource}`;
const deployments = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}`;
const DRY = '?fieldManager=m&dryRun=All';

const container = {
  name: 'c',
  image: 'x:1',
  ports: [{ containerPort: 80, name: 'h' }],
  env: [
    { name: 'A', value: '1' },
    { name: 'P', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  resources: { limits: { cpu: '1' } },
  livenessProbe: { httpGet: { path: '/', port: 80 } },
  volumeMounts: [{ name: 'v', mountPath: '/v' }],
};

const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { a: 'b' } },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: {
        serviceAccountName: 'sa',
        containers: [container],
        volumes: [
          { name: 'v', configMap: { name: 'x' } },
          { name: 's', secret: { secretName: 'q' } },
        ],
      },
    },
  },
});

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { selector: { a: 'b' }, ports: [{ port: 443, targetPort: 8443, name: 'h' }] },
};

const roleRef = { kind: 'Role', name: 'q', apiGroup: 'rbac.authorization.k8s.io' };

/**
 * Defaults and ownership of the built-in kinds that bundles bring. Deployments dry: no
 * two controllers run alike.
 */
export const workloadExchanges: readonly RecordedExchange[] = [
  {
    because: 'a created Deployment has its defaults, owned',
    method: 'POST',
    path: deployments + DRY,
    body: deployment('e'),
  },
  {
    because: 'an applied one has them too, owned by nobody',
    method: 'PATCH',
    path: `${deployments}/f${DRY}`,
    type: 'apply',
    body: deployment('f'),
  },
  { because: 'a Service has its defaults', method: 'POST', path: core('services') + DRY, body: service },
  { because: 'applied likewise', method: 'PATCH', path: `${core('services')}/s${DRY}`, type: 'apply', body: service },
  {
    because: 'a ServiceAccount keeps its pull secrets',
    method: 'POST',
    path: `${core('serviceaccounts')}?fieldManager=m`,
    body: { metadata: { name: 's' }, imagePullSecrets: [{ name: 'x' }] },
  },
  {
    because: 'stringData becomes data',
    method: 'POST',
    path: `${core('secrets')}?fieldManager=m`,
    body: { metadata: { name: 's' }, stringData: { a: 'b' } },
  },
  {
    because: 'names of roles may hold colons',
    method: 'POST',
    path: `${rbac}/roles?fieldManager=m`,
    body: { metadata: { name: 's:x' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['*'] }] },
  },
  {
    because: 'a RoleBinding is stored as sent',
    method: 'POST',
    path: `${rbac}/rolebindings?fieldManager=m`,
    body: {
      metadata: { name: 's:x' },
      roleRef,
      subjects: [{ kind: 'ServiceAccount', name: 'x', namespace: NAMESPACE }],
    },
  },
];
