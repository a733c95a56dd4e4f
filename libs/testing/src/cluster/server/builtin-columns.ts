import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, isObject, numberAt, objectAt, stringAt } from '../objects/json.js';
import type { TableColumn } from '../resources/resource-info.js';
import { age } from './age.js';

type Cell = (object: ApiObject) => unknown;

const text = (name: string, cell: Cell): TableColumn => ({ name, type: 'string', cell });
const count = (name: string, ...path: string[]): TableColumn => ({
  name,
  type: 'integer',
  cell: (object) => numberAt(object, ...path) ?? 0,
});
const field = (name: string, ...path: string[]): TableColumn => text(name, (object) => stringAt(object, ...path) ?? '');
const ageColumn = text('Age', ({ metadata }) => age(metadata.creationTimestamp));
const createdAt = text('Created At', ({ metadata }) => metadata.creationTimestamp);
const size = (name: string, at: string): TableColumn => ({
  name,
  type: 'integer',
  cell: (object) => Object.keys(objectAt(object, at) ?? {}).length,
});

const ready: Cell = (object) =>
  `${numberAt(object, 'status', 'readyReplicas') ?? 0}/${numberAt(object, 'spec', 'replicas') ?? 0}`;

const ports: Cell = (object) =>
  arrayAt(object, 'spec', 'ports')
    .filter(isObject)
    .map(({ port, protocol }) => `${port}/${protocol}`)
    .join(',') || '<none>';

const available: Cell = (object) => {
  const condition = arrayAt(object, 'status', 'conditions')
    .filter(isObject)
    .find(({ type }) => type === 'Available');
  return condition?.status === 'True' ? 'True' : `False (${String(condition?.reason ?? 'Unknown')})`;
};

const service: Cell = (object) => {
  const named = objectAt(object, 'spec', 'service');
  return named === undefined ? 'Local' : `${String(named.namespace)}/${String(named.name)}`;
};

const involved: Cell = (object) =>
  `${(stringAt(object, 'involvedObject', 'kind') ?? '').toLowerCase()}/${stringAt(object, 'involvedObject', 'name') ?? ''}`;

const role: Cell = (object) =>
  `${stringAt(object, 'roleRef', 'kind') ?? ''}/${stringAt(object, 'roleRef', 'name') ?? ''}`;

const columns: Readonly<Record<string, readonly TableColumn[]>> = {
  namespaces: [field('Status', 'status', 'phase'), ageColumn],
  configmaps: [size('Data', 'data'), ageColumn],
  secrets: [field('Type', 'type'), size('Data', 'data'), ageColumn],
  services: [
    field('Type', 'spec', 'type'),
    field('Cluster-IP', 'spec', 'clusterIP'),
    text('Port(s)', ports),
    ageColumn,
  ],
  pods: [field('Status', 'status', 'phase'), ageColumn],
  events: [
    text('Last Seen', (object) => age(object.lastTimestamp ?? object.metadata.creationTimestamp)),
    field('Type', 'type'),
    field('Reason', 'reason'),
    text('Object', involved),
    field('Message', 'message'),
  ],
  'deployments.apps': [
    text('Ready', ready),
    count('Up-to-date', 'status', 'updatedReplicas'),
    count('Available', 'status', 'availableReplicas'),
    ageColumn,
  ],
  'clusterroles.rbac.authorization.k8s.io': [createdAt],
  'roles.rbac.authorization.k8s.io': [createdAt],
  'rolebindings.rbac.authorization.k8s.io': [text('Role', role), ageColumn],
  'clusterrolebindings.rbac.authorization.k8s.io': [text('Role', role), ageColumn],
  'customresourcedefinitions.apiextensions.k8s.io': [createdAt],
  'apiservices.apiregistration.k8s.io': [text('Service', service), text('Available', available), ageColumn],
};

/** The columns after the name that `kubectl get` shows of a built-in resource; `key` is plural.group. */
export const builtinColumns = (key: string): readonly TableColumn[] => columns[key] ?? [ageColumn];
