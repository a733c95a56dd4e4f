import { expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '#testing/patience';
import type { ContractSubject } from './kube-client.contract.js';

const APPS = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;
const API_SERVICE = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' } as const;

const deployment = (namespace: string, name: string, pod: object, spec: object = {}): KubernetesObject => ({
  ...APPS,
  metadata: { name, namespace },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'example.test/c:1' }], ...pod },
    },
    ...spec,
  },
});

type Condition = Readonly<{ type: string; status: string; reason?: string; message?: string }>;

export function workloadContract(subject: ContractSubject): void {
  const conditions = async (ref: Readonly<{ apiVersion: string; kind: string; name: string; namespace?: string }>) => {
    const live = await subject().client.get(ref);
    const { conditions: found = [] } = (live?.['status'] ?? {}) as { conditions?: readonly Condition[] };
    return Object.fromEntries(found.map(({ type, status, reason }) => [type, `${status}/${reason}`]));
  };

  it('a Deployment of pods that fit no node runs out of its time', async () => {
    const { client, namespace } = subject();
    const pod = { nodeSelector: { 'example.com/nowhere': 'yes' } };
    await client.create(deployment(namespace, 'nowhere', pod, { progressDeadlineSeconds: 2 }));
    await expect
      .poll(() => conditions({ ...APPS, name: 'nowhere', namespace }), PATIENCE)
      .toEqual({ Available: 'False/MinimumReplicasUnavailable', Progressing: 'False/ProgressDeadlineExceeded' });
  });

  it('an aggregated API is available when its Service answers', async () => {
    const { client, namespace } = subject();
    const group = `served.${namespace}.example.com`;
    const ref = { ...API_SERVICE, name: `v1.${group}` };
    const service = { name: 'answering', namespace };
    await client.create({
      ...API_SERVICE,
      metadata: { name: ref.name },
      spec: {
        ...{ group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, insecureSkipTLSVerify: true },
        service: { ...service, port: 443 },
      },
    });
    try {
      await expect.poll(() => conditions(ref), PATIENCE).toEqual({ Available: 'False/ServiceNotFound' });
      const kind = { apiVersion: `${group}/v1`, kind: 'Thing' };
      const listed = () =>
        client.list(kind).then(
          () => 'listed',
          (error: unknown) => (KubeApiError.is(error) ? `${error.reason}: ${error.said}` : String(error)),
        );
      const unavailable = `APIUnavailable: APIService v1.${group} is not available: service/answering in "${namespace}" is not present`;
      await expect.poll(listed, PATIENCE).toBe(unavailable);
      await expect(client.serves(kind), 'its backend is down').resolves.toBe(false);
      await expect(client.get({ ...kind, name: 'one' }), 'nobody knows').rejects.toMatchObject({ status: 503 });
      await client.create({
        ...{ apiVersion: 'v1', kind: 'Service', metadata: service },
        spec: { selector: { app: 'answering' }, ports: [{ name: 'https', port: 443, targetPort: 1 }] },
      });
      await expect.poll(() => conditions(ref), PATIENCE).toEqual({ Available: 'False/MissingEndpoints' });
      // On the network of its node no process listens at the first port.
      await client.create(deployment(namespace, 'answering', { hostNetwork: true }));
      await expect.poll(() => conditions(ref), PATIENCE).toEqual({ Available: 'False/FailedDiscoveryCheck' });
    } finally {
      await client.delete(ref);
    }
  });
}
