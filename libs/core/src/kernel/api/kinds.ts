/** The API group of roles and their bindings. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io';
/** The API group of CustomResourceDefinitions. */
export const CRD_GROUP = 'apiextensions.k8s.io';
/** The API group of webhook configurations and admission policies. */
export const ADMISSION_GROUP = 'admissionregistration.k8s.io';
const OLM = 'operators.coreos.com';
const OLM_V1 = 'olm.operatorframework.io/v1';
const RBAC = `${RBAC_GROUP}/v1`;
const ADMISSION = `${ADMISSION_GROUP}/v1`;
const OPENSHIFT_CONFIG = 'config.openshift.io/v1';

const namespaced = <const A extends string>(apiVersion: A, plural: string) =>
  ({ apiVersion, plural, scope: 'Namespaced' }) as const;
const clusterScoped = <const A extends string>(apiVersion: A, plural: string) =>
  ({ apiVersion, plural, scope: 'Cluster' }) as const;

/**
 * Every kind that product code names, with its API, resource and scope; kinds of the fleet are in
 * `fleet/fleet-kinds.ts`. A kind that the poller watches also has a row in
 * `cluster/observation/watched-kinds.ts`.
 */
export const KINDS = {
  CatalogSource: namespaced(`${OLM}/v1alpha1`, 'catalogsources'),
  ClusterServiceVersion: namespaced(`${OLM}/v1alpha1`, 'clusterserviceversions'),
  InstallPlan: namespaced(`${OLM}/v1alpha1`, 'installplans'),
  Subscription: namespaced(`${OLM}/v1alpha1`, 'subscriptions'),
  OLMConfig: clusterScoped(`${OLM}/v1`, 'olmconfigs'),
  Operator: clusterScoped(`${OLM}/v1`, 'operators'),
  OperatorGroup: namespaced(`${OLM}/v1`, 'operatorgroups'),
  OperatorCondition: namespaced(`${OLM}/v2`, 'operatorconditions'),
  PackageManifest: namespaced(`packages.${OLM}/v1`, 'packagemanifests'),

  ClusterCatalog: clusterScoped(OLM_V1, 'clustercatalogs'),
  ClusterExtension: clusterScoped(OLM_V1, 'clusterextensions'),
  ClusterObjectSet: clusterScoped(OLM_V1, 'clusterobjectsets'),

  ConfigMap: namespaced('v1', 'configmaps'),
  Event: namespaced('v1', 'events'),
  Namespace: clusterScoped('v1', 'namespaces'),
  Node: clusterScoped('v1', 'nodes'),
  Pod: namespaced('v1', 'pods'),
  Secret: namespaced('v1', 'secrets'),
  Service: namespaced('v1', 'services'),
  ServiceAccount: namespaced('v1', 'serviceaccounts'),
  Deployment: namespaced('apps/v1', 'deployments'),
  Lease: namespaced('coordination.k8s.io/v1', 'leases'),

  Role: namespaced(RBAC, 'roles'),
  RoleBinding: namespaced(RBAC, 'rolebindings'),
  ClusterRole: clusterScoped(RBAC, 'clusterroles'),
  ClusterRoleBinding: clusterScoped(RBAC, 'clusterrolebindings'),

  CustomResourceDefinition: clusterScoped(`${CRD_GROUP}/v1`, 'customresourcedefinitions'),
  APIService: clusterScoped('apiregistration.k8s.io/v1', 'apiservices'),
  ValidatingWebhookConfiguration: clusterScoped(ADMISSION, 'validatingwebhookconfigurations'),
  MutatingWebhookConfiguration: clusterScoped(ADMISSION, 'mutatingwebhookconfigurations'),
  ValidatingAdmissionPolicy: clusterScoped(ADMISSION, 'validatingadmissionpolicies'),
  ValidatingAdmissionPolicyBinding: clusterScoped(ADMISSION, 'validatingadmissionpolicybindings'),

  ClusterOperator: clusterScoped(OPENSHIFT_CONFIG, 'clusteroperators'),
  ClusterVersion: clusterScoped(OPENSHIFT_CONFIG, 'clusterversions'),
  OperatorHub: clusterScoped(OPENSHIFT_CONFIG, 'operatorhubs'),
  Proxy: clusterScoped(OPENSHIFT_CONFIG, 'proxies'),
} as const;

export type NamedKind = keyof typeof KINDS;

/** The reference of each kind: `KIND.Pod` is `{ apiVersion: 'v1', kind: 'Pod' }`. */
export const KIND = Object.fromEntries(
  Object.entries(KINDS).map(([kind, { apiVersion }]) => [kind, { apiVersion, kind }]),
) as { readonly [K in NamedKind]: Readonly<{ apiVersion: (typeof KINDS)[K]['apiVersion']; kind: K }> };
