import { once } from 'node:events';
import { createServer } from 'node:https';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE_MS, pause } from '#testing/patience';

export type ApiBackend = Readonly<{ stop: () => Promise<void> }>;

/**
 * Stands for the pod of an operator that serves an API. No container runs, but a pod on the host's network
 * has the address of this machine, and the API server asks there. It serves with the operator's certificate.
 */
export async function startApiBackend(client: KubeClient, namespace: string): Promise<ApiBackend> {
  const { secret, apiService } = await untilServed(client, namespace);
  const { group, version, service } = fields(apiService['spec']);
  const pem = (key: string) => Buffer.from(String(fields(secret['data'])[key]), 'base64');
  const server = createServer({ cert: pem('tls.crt'), key: pem('tls.key') }, ({ url = '' }, response) => {
    const known = url.startsWith(`/apis/${group}/${version}`);
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? resources(`${group}/${version}`) : { kind: 'Status', code: 404 }));
  });
  server.listen(Number(fields(service)['port']), '0.0.0.0');
  await once(server, 'listening');
  return {
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Waits for the operator's certificate, then for its APIService. */
async function untilServed(client: KubeClient, namespace: string) {
  const list = async (apiVersion: string, kind: string, options = {}) =>
    (await client.list({ apiVersion, kind }, options))?.items ?? [];
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(50)) {
    const secret = (await list('v1', 'Secret', { namespace })).find(isCertificate);
    const apiService = (await list('apiregistration.k8s.io/v1', 'APIService')).find(
      ({ spec }) => fields(fields(spec)['service'])['namespace'] === namespace,
    );
    if (secret !== undefined && apiService !== undefined) return { secret, apiService };
  }
  throw new Error(`${namespace} serves no API`);
}

const isCertificate = ({ metadata }: KubernetesObject): boolean => metadata.name?.endsWith('-service-cert') === true;

const fields = (value: unknown): Readonly<Record<string, unknown>> => (value ?? {}) as Record<string, unknown>;

const resources = (groupVersion: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources: [{ name: 'tides', singularName: 'tide', namespaced: true, kind: 'Tide', verbs: ['get', 'list'] }],
});
