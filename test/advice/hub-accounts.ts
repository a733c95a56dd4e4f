import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { createIgnoringExisting as create } from '../../apps/cli/src/commands/demo/environment/create-object.js';

const RBAC = 'rbac.authorization.k8s.io';
export const APPLIER_ROLE = 'flotilla:apply';
export const POLLER_USER = 'hub-poller';
export const APPLIER_USER = 'hub-applier';

const Kubeconfig = z.looseObject({ users: z.array(z.looseObject({ user: z.looseObject({}) })) });

/** Kubeconfigs of the services, by service. Their accounts have the rights of k8s/base/managed-cluster. */
export type HubKubeconfigs = Readonly<Record<'catalog-poller' | 'applier', string>>;

/**
 * Creates accounts with the roles of the project, bound as its pages describe. The advice grants the further
 * rights for catalogs.
 */
export async function createHubAccounts(
  client: KubeClient,
  kubeconfig: string,
  folder: string,
): Promise<HubKubeconfigs> {
  for (const file of ['observe', 'observe-config-maps', 'observe-pull-secrets', 'apply'])
    await create(client, await shippedRole(file));
  await create(client, binding('flotilla:observe', POLLER_USER));
  await create(client, binding(APPLIER_ROLE, APPLIER_USER));
  const acting = async (user: string) => {
    const { users, ...rest } = Kubeconfig.parse(load(kubeconfig));
    const path = join(folder, `${user}.kubeconfig`);
    const impersonating = users.map((one) => ({ ...one, user: { ...one.user, as: user } }));
    await writeFile(path, JSON.stringify({ ...rest, users: impersonating }), { mode: 0o600 });
    return path;
  };
  return { 'catalog-poller': await acting(POLLER_USER), applier: await acting(APPLIER_USER) };
}

/** The account of {@link createListedAccount}. It has a token, since it impersonates others itself. */
const LISTED = { namespace: 'hub-accounts', name: 'hub-applier' } as const;
export const LISTED_USER = `system:serviceaccount:${LISTED.namespace}:${LISTED.name}`;
const HOURS_6 = 6 * 3_600;

/** The same for an applier whose role lists the kinds that it may write. */
export async function createListedAccount(
  client: KubeClient,
  kubeconfig: string,
  folder: string,
): Promise<HubKubeconfigs> {
  const hub = await createHubAccounts(client, kubeconfig, folder);
  await create(client, await shippedRole('apply-listed'));
  await create(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LISTED.namespace } });
  await create(client, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...LISTED } });
  await create(client, binding('flotilla:apply-listed', LISTED_USER));
  const token = await client.requestToken({ ...LISTED, seconds: HOURS_6 });
  const { users, ...rest } = Kubeconfig.parse(load(kubeconfig));
  const path = join(folder, 'listed.kubeconfig');
  const own = users.map((one) => ({ ...one, user: { token } }));
  await writeFile(path, JSON.stringify({ ...rest, users: own }), { mode: 0o600 });
  return { ...hub, applier: path };
}

const shippedRole = async (name: string) =>
  KubernetesObject.parse(load(await readFile(join(PROJECT_ROOT, 'k8s/base/managed-cluster', `${name}.yaml`), 'utf8')));

const binding = (role: string, name: string) => ({
  ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name: role } },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup: RBAC, kind: 'User', name }],
});
