import { isObject, type JsonObject, objectAt } from '../objects/json.js';
import type { KindStrategy } from './kind-strategy.js';

const specOf = (object: unknown): JsonObject => objectAt(object, 'spec') ?? {};

function withPortDefaults(ports: unknown): JsonObject {
  if (!Array.isArray(ports)) return {};
  return {
    ports: ports.map((port: unknown) =>
      isObject(port) ? { protocol: 'TCP', ...port, targetPort: port.targetPort || port.port } : port,
    ),
  };
}

/** Services: the usual defaults, and a cluster IP that stays. */
export const services: KindStrategy = {
  defaults: (object) => {
    const sent = specOf(object);
    const external = sent.type === 'ExternalName';
    return {
      ...object,
      spec: {
        sessionAffinity: 'None',
        type: 'ClusterIP',
        ...(external ? {} : { internalTrafficPolicy: 'Cluster' }),
        ...sent,
        ...withPortDefaults(sent.ports),
      },
    };
  },
  prepare: (object, live, cluster) => {
    const sent = specOf(object);
    const status = object.status ?? { loadBalancer: {} };
    if (sent.type === 'ExternalName') return { ...object, status };
    const clusterIP = sent.clusterIP ?? specOf(live).clusterIP ?? cluster.allocateClusterIp();
    const spec = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', ...sent, clusterIP, clusterIPs: [clusterIP] };
    return { ...object, spec, status };
  },
};
