import { expect } from 'vitest';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { roleOfAppliers } from '#testing/control-plane/applier-logins';
import { LONG_PATIENCE } from '#testing/patience';
import { type FleetHub, HUB_NAMESPACE, secretOf } from './fleet-hub.js';

const SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: HUB_NAMESPACE } as const;
const ACCOUNT = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'hub-login', namespace: 'default' } as const;

/**
 * Plays a cluster with its login in a Secret. A new login is in use while the hub runs, an unsafe one never.
 * The cluster leaves with its FleetCluster, without finalizers of the hub, and comes back with it.
 */
export async function replaceTheLogin(fleet: FleetHub, name: string): Promise<void> {
  const use = async (kubeconfig: object) => {
    const { data } = secretOf(name, kubeconfig) as unknown as { data: Record<string, string> };
    await fleet.hub.patch({ ...SECRET, name }, { data });
  };
  const condition = async (type: string) => {
    const { conditions = [] } = (await fleet.status('FleetCluster', name)) as {
      conditions?: readonly Readonly<{ type: string; status: string; reason: string }>[];
    };
    const found = conditions.find((one) => one.type === type);
    return found && `${found.status} ${found.reason}`;
  };
  await expect.poll(() => condition('CredentialsValid'), LONG_PATIENCE).toBe('True Valid');

  const first = await fleet.login(name);
  const program = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' };
  await use({ ...first, users: [{ name, user: { exec: program } }] });
  await expect.poll(() => condition('CredentialsValid'), LONG_PATIENCE).toBe('False Unsafe');
  expect(await condition('Reachable')).toBe('True Answering');

  await use(await fleet.login(name, await tokenOf(fleet.client(name))));
  await expect.poll(() => condition('CredentialsValid'), LONG_PATIENCE).toBe('True Valid');
  // Only a service that uses the token notices its end.
  await fleet.client(name).delete(ACCOUNT);
  await expect.poll(() => condition('CredentialsValid'), LONG_PATIENCE).toBe('False Rejected');
  await use(first);
  await expect.poll(() => condition('CredentialsValid'), LONG_PATIENCE).toBe('True Valid');

  const member = { apiVersion: FLEET_API, kind: 'FleetCluster', name };
  const { metadata, spec } = (await fleet.hub.get(member)) as KubernetesObject;
  const held = async () =>
    ((await fleet.client(name).list(CSV_API))?.items ?? []).filter((csv) =>
      csv.metadata.finalizers?.includes(CSV_CLEANUP_FINALIZER),
    ).length;
  expect(await held()).toBeGreaterThan(0);
  await fleet.hub.delete(member);
  await expect.poll(() => fleet.hub.get(member), LONG_PATIENCE).toBeUndefined();
  expect(await held(), 'finalizers of a hub that has left').toBe(0);
  await fleet.apply('FleetCluster', name, spec as object, metadata.labels);
  await expect.poll(() => condition('Reachable'), LONG_PATIENCE).toBe('True Answering');
  await expect.poll(() => condition('CredentialsValid'), LONG_PATIENCE).toBe('True Valid');
}

/** Returns a token with the role of appliers. It ends with the ServiceAccount. */
async function tokenOf(client: KubeClient): Promise<string> {
  const { name, namespace } = ACCOUNT;
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  await client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleOfAppliers() },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  } as KubernetesObject);
  await client.create({
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token' },
    metadata: { name, namespace, annotations: { 'kubernetes.io/service-account.name': name } },
  } as KubernetesObject);
  const token = async () => {
    const found = (await client.get({ apiVersion: 'v1', kind: 'Secret', name, namespace })) as
      | { data?: Record<string, string> }
      | undefined;
    return Buffer.from(found?.data?.['token'] ?? '', 'base64').toString('utf8');
  };
  await expect.poll(token, LONG_PATIENCE).not.toBe('');
  return token();
}
