import { open } from 'node:fs/promises';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';

/** One request of our services to the cluster; watches are none. */
export type CountedRequest = Readonly<{ service: string; verb: string; resource: string }>;

/** The requests of our services to a cluster since the last call. */
export type RequestSource = Readonly<{ take: () => Promise<readonly CountedRequest[]> }>;

const SERVICES = new Set(['flotilla-applier', 'flotilla-poller']);

/** Every request as one line of JSON, when it is answered. */
export const AUDIT_POLICY = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata' }],
});

/** From the audit log that a kube-apiserver with {@link AUDIT_POLICY} writes. */
export function fromAuditLog(path: string): RequestSource {
  let offset = 0;
  let rest = '';
  return {
    take: async () => {
      const log = await open(path);
      try {
        const { size } = await log.stat();
        const bytes = Buffer.alloc(size - offset);
        await log.read(bytes, 0, bytes.length, offset);
        offset = size;
        const lines = (rest + bytes.toString('utf8')).split('\n');
        rest = lines.pop() ?? '';
        return lines.flatMap(auditedRequest);
      } finally {
        await log.close();
      }
    },
  };
}

function auditedRequest(line: string): CountedRequest[] {
  const { verb, userAgent = '', objectRef, requestURI } = JSON.parse(line);
  if (verb === 'watch' || !SERVICES.has(userAgent)) return [];
  return [{ service: userAgent, verb, resource: nameOf(objectRef?.resource ?? requestURI, objectRef?.subresource) }];
}

/** The simulator keeps the newest few thousand: take them often when you count many. */
export const fromSimulator = ({ requests }: SimulatedCluster): RequestSource => ({
  take: async () => {
    const taken = requests.flatMap(({ verb, userAgent = '', resource, subresource, path }) =>
      verb === 'watch' || !SERVICES.has(userAgent)
        ? []
        : [{ service: userAgent, verb, resource: nameOf(resource ?? path, subresource) }],
    );
    requests.clear();
    return taken;
  },
});

const nameOf = (resource: string, subresource?: string): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`;
