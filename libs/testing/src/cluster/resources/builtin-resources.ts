import { builtinMergeSchema } from '../schema/builtin-merge-schema.js';
import { type ResourceInfo, resourceKey, type ScalePaths } from './resource-info.js';

export const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

type Row = Readonly<{
  kind: string;
  resource: string;
  group?: string;
  version?: string;
  cluster?: boolean;
  short?: readonly string[];
  categories?: readonly string[];
  subresources?: readonly string[];
  generation?: boolean;
  returnsDeleted?: boolean;
  verbs?: readonly string[];
  fields?: readonly string[];
}>;

const all = ['all'];
const status = ['status'];
const statusAndScale = ['scale', 'status'];
const extensions = ['api-extensions'];
const involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
const eventFields = [...involved.map((field) => `involvedObject.${field}`), 'reason', 'reportingComponent', 'type'];
const podFields = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
];

const core: readonly Row[] = [
  { kind: 'ConfigMap', resource: 'configmaps', short: ['cm'] },
  { kind: 'Endpoints', resource: 'endpoints', short: ['ep'] },
  { kind: 'Event', resource: 'events', short: ['ev'], fields: eventFields },
  {
    kind: 'Namespace',
    resource: 'namespaces',
    short: ['ns'],
    cluster: true,
    subresources: status,
    verbs: allVerbs.filter((verb) => verb !== 'deletecollection'),
    fields: ['status.phase'],
  },
  {
    kind: 'Node',
    resource: 'nodes',
    short: ['no'],
    cluster: true,
    subresources: status,
    fields: ['spec.unschedulable'],
  },
  { kind: 'PersistentVolumeClaim', resource: 'persistentvolumeclaims', short: ['pvc'], subresources: status },
  {
    kind: 'Pod',
    resource: 'pods',
    short: ['po'],
    categories: all,
    subresources: ['attach', 'exec', 'log', 'portforward', 'proxy', 'status'],
    generation: true,
    returnsDeleted: true,
    fields: podFields,
  },
  { kind: 'ResourceQuota', resource: 'resourcequotas', short: ['quota'], subresources: status },
  { kind: 'Secret', resource: 'secrets', fields: ['type'] },
  {
    kind: 'ServiceAccount',
    resource: 'serviceaccounts',
    short: ['sa'],
    subresources: ['token'],
    returnsDeleted: true,
  },
  {
    kind: 'Service',
    resource: 'services',
    short: ['svc'],
    categories: all,
    subresources: status,
    returnsDeleted: true,
    fields: ['spec.clusterIP', 'spec.type'],
  },
];

const workloads: readonly Row[] = [
  { kind: 'ControllerRevision', resource: 'controllerrevisions', group: 'apps' },
  {
    kind: 'DaemonSet',
    resource: 'daemonsets',
    group: 'apps',
    short: ['ds'],
    categories: all,
    subresources: status,
    generation: true,
  },
  {
    kind: 'Deployment',
    resource: 'deployments',
    group: 'apps',
    short: ['deploy'],
    categories: all,
    subresources: statusAndScale,
    generation: true,
  },
  {
    kind: 'ReplicaSet',
    resource: 'replicasets',
    group: 'apps',
    short: ['rs'],
    categories: all,
    subresources: statusAndScale,
    generation: true,
    fields: ['status.replicas'],
  },
  {
    kind: 'StatefulSet',
    resource: 'statefulsets',
    group: 'apps',
    short: ['sts'],
    categories: all,
    subresources: statusAndScale,
    generation: true,
  },
  {
    kind: 'HorizontalPodAutoscaler',
    resource: 'horizontalpodautoscalers',
    group: 'autoscaling',
    version: 'v2',
    short: ['hpa'],
    categories: all,
    subresources: status,
  },
  {
    kind: 'CronJob',
    resource: 'cronjobs',
    group: 'batch',
    short: ['cj'],
    categories: all,
    subresources: status,
    generation: true,
  },
  {
    kind: 'Job',
    resource: 'jobs',
    group: 'batch',
    categories: all,
    subresources: status,
    generation: true,
    fields: ['status.successful'],
  },
  { kind: 'Lease', resource: 'leases', group: 'coordination.k8s.io' },
  { kind: 'EndpointSlice', resource: 'endpointslices', group: 'discovery.k8s.io', generation: true },
  { kind: 'Event', resource: 'events', group: 'events.k8s.io', short: ['ev'], fields: ['reason', 'type'] },
];

const rbac = 'rbac.authorization.k8s.io';
const admission = 'admissionregistration.k8s.io';
const policies: readonly Row[] = [
  { kind: 'Role', resource: 'roles', group: rbac },
  { kind: 'RoleBinding', resource: 'rolebindings', group: rbac },
  { kind: 'ClusterRole', resource: 'clusterroles', group: rbac, cluster: true },
  { kind: 'ClusterRoleBinding', resource: 'clusterrolebindings', group: rbac, cluster: true },
  {
    kind: 'Ingress',
    resource: 'ingresses',
    group: 'networking.k8s.io',
    short: ['ing'],
    subresources: status,
    generation: true,
  },
  {
    kind: 'NetworkPolicy',
    resource: 'networkpolicies',
    group: 'networking.k8s.io',
    short: ['netpol'],
    generation: true,
  },
  {
    kind: 'PodDisruptionBudget',
    resource: 'poddisruptionbudgets',
    group: 'policy',
    short: ['pdb'],
    subresources: status,
    generation: true,
  },
  {
    kind: 'PriorityClass',
    resource: 'priorityclasses',
    group: 'scheduling.k8s.io',
    short: ['pc'],
    cluster: true,
    generation: true,
  },
  { kind: 'StorageClass', resource: 'storageclasses', group: 'storage.k8s.io', short: ['sc'], cluster: true },
];

const machinery: readonly Row[] = [
  {
    kind: 'CustomResourceDefinition',
    resource: 'customresourcedefinitions',
    group: 'apiextensions.k8s.io',
    short: ['crd', 'crds'],
    categories: extensions,
    cluster: true,
    subresources: status,
    generation: true,
  },
  {
    kind: 'APIService',
    resource: 'apiservices',
    group: 'apiregistration.k8s.io',
    categories: extensions,
    cluster: true,
    subresources: status,
  },
  {
    kind: 'MutatingWebhookConfiguration',
    resource: 'mutatingwebhookconfigurations',
    group: admission,
    categories: extensions,
    cluster: true,
    generation: true,
  },
  {
    kind: 'ValidatingAdmissionPolicy',
    resource: 'validatingadmissionpolicies',
    group: admission,
    categories: extensions,
    cluster: true,
    subresources: status,
    generation: true,
  },
  {
    kind: 'ValidatingAdmissionPolicyBinding',
    resource: 'validatingadmissionpolicybindings',
    group: admission,
    categories: extensions,
    cluster: true,
    generation: true,
  },
  {
    kind: 'ValidatingWebhookConfiguration',
    resource: 'validatingwebhookconfigurations',
    group: admission,
    categories: extensions,
    cluster: true,
    generation: true,
  },
];

const create = ['create'];
const authorization = 'authorization.k8s.io';
/** Kinds that are asked and answered, never stored. */
const reviews: readonly Row[] = [
  { kind: 'TokenReview', resource: 'tokenreviews', group: 'authentication.k8s.io', cluster: true, verbs: create },
  {
    kind: 'SelfSubjectReview',
    resource: 'selfsubjectreviews',
    group: 'authentication.k8s.io',
    cluster: true,
    verbs: create,
  },
  {
    kind: 'SelfSubjectAccessReview',
    resource: 'selfsubjectaccessreviews',
    group: authorization,
    cluster: true,
    verbs: create,
  },
  { kind: 'SubjectAccessReview', resource: 'subjectaccessreviews', group: authorization, cluster: true, verbs: create },
  { kind: 'LocalSubjectAccessReview', resource: 'localsubjectaccessreviews', group: authorization, verbs: create },
  {
    kind: 'SelfSubjectRulesReview',
    resource: 'selfsubjectrulesreviews',
    group: authorization,
    cluster: true,
    verbs: create,
  },
];

const WORKLOAD_SCALE: ScalePaths = {
  specReplicas: '.spec.replicas',
  statusReplicas: '.status.replicas',
  selector: '.spec.selector',
};

function infoOf(row: Row): ResourceInfo {
  const group = row.group ?? '';
  const schema = builtinMergeSchema(resourceKey(group, row.resource));
  return {
    group,
    resource: row.resource,
    singular: row.kind.toLowerCase(),
    kind: row.kind,
    listKind: `${row.kind}List`,
    namespaced: row.cluster !== true,
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    versions: [row.version ?? 'v1'],
    verbs: row.verbs ?? allVerbs,
    subresources: row.subresources ?? [],
    builtin: true,
    generation: row.generation ?? false,
    returnsDeleted: row.returnsDeleted ?? false,
    selectableFields: row.fields ?? [],
    mergeSchema: () => schema,
    printerColumns: () => [],
    scale: () => (row.subresources === statusAndScale ? WORKLOAD_SCALE : undefined),
  };
}

/** Every built-in resource the simulator serves; one table for all clusters of the process. */
export const builtinResources: ReadonlyMap<string, ResourceInfo> = new Map(
  [...core, ...workloads, ...policies, ...machinery, ...reviews]
    .map(infoOf)
    .map((info) => [resourceKey(info.group, info.resource), info]),
);
