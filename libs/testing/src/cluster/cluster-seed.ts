import { randomUUID } from 'node:crypto';
import type { ApiObject } from './api-object.js';
import { type ClusterState, timestamp } from './cluster-state.js';
import type { JsonObject } from './json.js';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Puts what every fresh cluster holds into an empty one. */
export function seedCluster(cluster: ClusterState): void {
  for (const name of NAMESPACES) seedNamespace(cluster, name);
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

export const freshMetadata = (name: string, namespace?: string): ApiObject['metadata'] => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  uid: randomUUID(),
  resourceVersion: '0',
  creationTimestamp: timestamp(),
});

export type Seed = JsonObject;
