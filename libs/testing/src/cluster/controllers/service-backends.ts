import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, isObject, numberAt, objectAt, stringAt } from '../objects/json.js';
import type { ClusterState } from '../state/cluster-state.js';

/** Backend of a Service: nothing, pods in the simulator (always healthy), or a process on this machine. */
export type ServiceBackend = 'none' | 'simulated' | Readonly<{ address: string; port: number }>;

/** Pods on their node's network have the node's address, and the node is this machine. */
const NODE_ADDRESS = '127.0.0.1';

/** Returns the backend of one port of a Service: the available Deployments with pods that it selects. */
export function backendOf({ storage }: ClusterState, service: ApiObject, port: number): ServiceBackend {
  const selector = Object.entries(objectAt(service, 'spec', 'selector') ?? {});
  if (selector.length === 0) return 'none';
  const pods = storage
    .list('deployments.apps')
    .filter((one) => one.metadata.namespace === service.metadata.namespace && isAvailable(one))
    .map((one) => objectAt(one, 'spec', 'template'));
  const chosen = pods.filter((pod) =>
    selector.every(([label, value]) => objectAt(pod, 'metadata', 'labels')?.[label] === value),
  );
  if (chosen.length === 0) return 'none';
  if (!chosen.some((pod) => objectAt(pod, 'spec')?.hostNetwork === true)) return 'simulated';
  const entry = arrayAt(service, 'spec', 'ports').find((one) => isObject(one) && one.port === port);
  return { address: NODE_ADDRESS, port: numberAt(entry, 'targetPort') ?? port };
}

const isAvailable = (deployment: ApiObject): boolean =>
  arrayAt(deployment, 'status', 'conditions').some(
    (condition) => stringAt(condition, 'type') === 'Available' && stringAt(condition, 'status') === 'True',
  );
