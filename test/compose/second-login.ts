import { expect } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '#testing/patience';

const NAME = 'second-login';
const SECRET = { apiVersion: 'v1', kind: 'Secret', name: NAME, namespace: 'default' };

/** The login of a new service account with the rights of an administrator, for a kubeconfig. */
export async function secondLogin(client: KubeClient): Promise<Readonly<{ token: string }>> {
  const metadata = { name: NAME, namespace: 'default' };
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  await client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: NAME },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...metadata }],
  });
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': NAME } },
  });
  const tokenOf = async () =>
    (await client.get<KubernetesObject & { data?: Record<string, string> }>(SECRET))?.data?.['token'] ?? '';
  await expect.poll(tokenOf, PATIENCE).not.toBe('');
  return { token: Buffer.from(await tokenOf(), 'base64').toString() };
}
