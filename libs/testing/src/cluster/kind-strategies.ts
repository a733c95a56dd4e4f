import type { ApiObject } from './api-object.js';
import type { ClusterState } from './cluster-state.js';
import { objectAt, stringAt } from './json.js';
import { invalidValue, required, type StatusCause } from './refusal.js';
import { type ResourceInfo, resourceKey } from './resource-info.js';

/** What one built-in kind does besides the rules all kinds share. */
export type KindStrategy = Readonly<{
  /** Defaults and server-set fields; `live` is undefined for a new object. */
  prepare?: (object: ApiObject, live: ApiObject | undefined, cluster: ClusterState) => ApiObject;
  validate?: (object: ApiObject, live: ApiObject | undefined) => readonly StatusCause[];
  /** Given where deletion is always in two steps: the object as it looks once marked. */
  markDeleted?: (live: ApiObject) => ApiObject;
}>;

const namespaces: KindStrategy = {
  prepare: (object, live) => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name },
    },
    spec: live?.spec ?? { finalizers: ['kubernetes'] },
    status: live === undefined ? { phase: 'Active' } : object.status,
  }),
  markDeleted: (live) => ({ ...live, status: { ...objectAt(live, 'status'), phase: 'Terminating' } }),
};

const services: KindStrategy = {
  prepare: (object, live, cluster) => {
    const sent = objectAt(object, 'spec') ?? {};
    const before = objectAt(live, 'spec') ?? {};
    const clusterIP = sent.clusterIP ?? before.clusterIP ?? cluster.allocateClusterIp();
    const ports = Array.isArray(sent.ports)
      ? sent.ports.map((port: Record<string, unknown>) => ({ protocol: 'TCP', targetPort: port.port, ...port }))
      : undefined;
    const spec = {
      sessionAffinity: 'None',
      type: 'ClusterIP',
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ...sent,
      ...(ports === undefined ? {} : { ports }),
      clusterIP,
      clusterIPs: [clusterIP],
    };
    return { ...object, spec, status: object.status ?? { loadBalancer: {} } };
  },
};

const secrets: KindStrategy = {
  prepare: (object) => {
    const { stringData, ...rest } = object;
    const texts = Object.entries(objectAt(object, 'stringData') ?? {}).map(([key, text]) => [
      key,
      Buffer.from(String(text)).toString('base64'),
    ]);
    const data = { ...objectAt(object, 'data'), ...Object.fromEntries(texts) };
    const withData = stringData === undefined ? rest : { ...rest, data };
    return { ...withData, type: object.type ?? 'Opaque' } as ApiObject;
  },
};

const roleBindings: KindStrategy = {
  validate: (object, live) => {
    if (stringAt(object, 'roleRef', 'name') === undefined) return [required('roleRef.name')];
    const before = live === undefined ? undefined : JSON.stringify(live.roleRef);
    const same = before === undefined || before === JSON.stringify(object.roleRef);
    return same ? [] : [invalidValue('roleRef', object.roleRef, 'cannot change roleRef')];
  },
};

const strategies: Readonly<Record<string, KindStrategy>> = {
  namespaces,
  services,
  secrets,
  'rolebindings.rbac.authorization.k8s.io': roleBindings,
  'clusterrolebindings.rbac.authorization.k8s.io': roleBindings,
};

const none: KindStrategy = {};

export const strategyOf = (info: ResourceInfo): KindStrategy =>
  strategies[resourceKey(info.group, info.resource)] ?? none;
