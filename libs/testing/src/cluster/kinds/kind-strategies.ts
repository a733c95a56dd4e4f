import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, equal, objectAt, stringAt } from '../objects/json.js';
import { invalidValue, required, type StatusCause } from '../objects/refusal.js';
import { type ResourceInfo, resourceKey } from '../resources/resource-info.js';
import { customResourceDefinitions } from './custom-resource-definitions.strategy.js';
import type { KindStrategy } from './kind-strategy.js';
import { services } from './services.strategy.js';
import { apiServices, mutatingWebhooks, validatingWebhooks } from './webhooks.strategy.js';
import { daemonSets, deployments, pods, replicaSets, statefulSets } from './workloads.strategy.js';

const namespaces: KindStrategy = {
  defaults: (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name },
    },
  }),
  prepare: (object, live) => ({
    ...object,
    spec: live?.spec ?? { finalizers: ['kubernetes'] },
    status: live === undefined ? { phase: 'Active' } : object.status,
  }),
  markDeleted: (live) => ({ ...live, status: { ...objectAt(live, 'status'), phase: 'Terminating' } }),
  held: (object) => arrayAt(object, 'spec', 'finalizers').length > 0,
};

const secrets: KindStrategy = {
  defaults: (object) => {
    const { stringData, ...rest } = object;
    const texts = Object.entries(objectAt(object, 'stringData') ?? {}).map(([key, text]) => [
      key,
      Buffer.from(String(text)).toString('base64'),
    ]);
    const data = { ...objectAt(object, 'data'), ...Object.fromEntries(texts) };
    const withData = stringData === undefined ? rest : { ...rest, data };
    return { ...withData, type: object.type ?? 'Opaque' } as ApiObject;
  },
  validate: (object, live) => [
    ...(live !== undefined && live.type !== object.type
      ? [invalidValue('type', object.type, 'field is immutable')]
      : []),
    ...immutableDataFaults(object, live),
  ],
};

const configMaps: KindStrategy = { validate: (object, live) => immutableDataFaults(object, live) };

function immutableDataFaults(object: ApiObject, live: ApiObject | undefined): StatusCause[] {
  if (live?.immutable !== true || equal(live.data, object.data)) return [];
  return [
    { reason: 'FieldValueForbidden', message: 'Forbidden: field is immutable when `immutable` is set', field: 'data' },
  ];
}

const RBAC = 'rbac.authorization.k8s.io';
const roleBindings: KindStrategy = {
  defaults: (object) => ({ ...object, roleRef: { apiGroup: RBAC, ...objectAt(object, 'roleRef') } }),
  validate: (object, live) => {
    if (!stringAt(object, 'roleRef', 'name')) return [required('roleRef.name')];
    const same = live === undefined || equal(live.roleRef, object.roleRef);
    return same ? [] : [invalidValue('roleRef', object.roleRef, 'cannot change roleRef')];
  },
};

const persistentVolumeClaims: KindStrategy = {
  prepare: (object, live) => (live === undefined ? { ...object, status: { phase: 'Pending' } } : object),
};

const conditional: KindStrategy = { conditionalUpdates: true };

const strategies: Readonly<Record<string, KindStrategy>> = {
  namespaces,
  services,
  secrets,
  configmaps: configMaps,
  persistentvolumeclaims: persistentVolumeClaims,
  pods,
  'deployments.apps': deployments,
  'replicasets.apps': replicaSets,
  'statefulsets.apps': statefulSets,
  'daemonsets.apps': daemonSets,
  'customresourcedefinitions.apiextensions.k8s.io': customResourceDefinitions,
  'rolebindings.rbac.authorization.k8s.io': roleBindings,
  'clusterrolebindings.rbac.authorization.k8s.io': roleBindings,
  'apiservices.apiregistration.k8s.io': apiServices,
  'leases.coordination.k8s.io': conditional,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': mutatingWebhooks,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': validatingWebhooks,
};

const none: KindStrategy = {};

export function strategyOf(info: ResourceInfo): KindStrategy {
  if (!info.builtin) return conditional;
  return strategies[resourceKey(info.group, info.resource)] ?? none;
}
