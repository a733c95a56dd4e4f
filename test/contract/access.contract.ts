import { expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '#testing/patience';
import { configMap, configMapRef } from './contract-objects.js';
import type { ContractSubject } from './kube-client.contract.js';

const RBAC = 'rbac.authorization.k8s.io';
/** An API server takes a moment to see the roles that it stored. */

const rule = (resources: readonly string[], verbs: readonly string[], resourceNames?: readonly string[]) => ({
  ...{ apiGroups: [''], resources, verbs },
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

const role = (namespace: string, name: string, rules: readonly unknown[]): KubernetesObject => ({
  ...{ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name, namespace } },
  rules,
});

const binding = (namespace: string, name: string, subjects: readonly unknown[], kind = 'Role'): KubernetesObject => ({
  ...{ apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata: { name, namespace } },
  ...{ roleRef: { apiGroup: RBAC, kind, name }, subjects },
});

export function accessContract(subject: ContractSubject): void {
  const account = (namespace: string, name: string) => ({ kind: 'ServiceAccount', name, namespace });
  const actor = (name: string): { client: KubeClient; user: string } => {
    const { client, namespace } = subject();
    const user = `system:serviceaccount:${namespace}:${name}`;
    return { client: client.actingAs({ user }), user };
  };
  const said = (act: Promise<unknown>): Promise<unknown> =>
    act.then(() => 'done').catch((error) => error.said ?? error);
  const listed = (client: KubeClient, kind: string, namespace: string) =>
    said(client.list({ apiVersion: 'v1', kind }, { namespace }));

  it('a user without rights gets an answer that names what is missing', async () => {
    const { namespace } = subject();
    const { client, user } = actor('nobody');
    const forbidden = { status: 403, reason: 'Forbidden' };
    await expect(client.get(configMapRef(namespace, 'x'))).rejects.toMatchObject({
      ...forbidden,
      said: `configmaps "x" is forbidden: User "${user}" cannot get resource "configmaps" in API group "" in the namespace "${namespace}"`,
    });
    await expect(client.create(configMap(namespace, 'x'))).rejects.toMatchObject({
      ...forbidden,
      said: `configmaps is forbidden: User "${user}" cannot create resource "configmaps" in API group "" in the namespace "${namespace}"`,
    });
    await expect(client.list({ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole' })).rejects.toMatchObject({
      ...forbidden,
      said: `clusterroles.${RBAC} is forbidden: User "${user}" cannot list resource "clusterroles" in API group "${RBAC}" at the cluster scope`,
    });
  });

  it('a Role gives its verbs on its resources in its namespace, and no others', async () => {
    const { client, namespace } = subject();
    const clerk = actor('clerk').client;
    await client.create(role(namespace, 'clerk', [rule(['configmaps'], ['create', 'get'])]));
    await client.create(binding(namespace, 'clerk', [account(namespace, 'clerk')]));
    await expect.poll(() => said(clerk.create(configMap(namespace, 'of-clerk'))), PATIENCE).toBe('done');
    await expect(clerk.get(configMapRef(namespace, 'of-clerk'))).resolves.toBeDefined();
    await expect(clerk.delete(configMapRef(namespace, 'of-clerk'))).rejects.toMatchObject({ status: 403 });
    await expect(clerk.get(configMapRef('default', 'of-clerk'))).rejects.toMatchObject({ status: 403 });
    await expect(clerk.get({ apiVersion: 'v1', kind: 'Secret', name: 'x', namespace })).rejects.toMatchObject({
      status: 403,
    });
  });

  it('a rule with names is for these names', async () => {
    const { client, namespace } = subject();
    const keeper = actor('keeper').client;
    await client.create(configMap(namespace, 'kept'));
    await client.create(role(namespace, 'keeper', [rule(['configmaps'], ['*'], ['kept'])]));
    await client.create(binding(namespace, 'keeper', [account(namespace, 'keeper')]));
    await expect.poll(() => said(keeper.get(configMapRef(namespace, 'kept'))), PATIENCE).toBe('done');
    await expect(keeper.get(configMapRef(namespace, 'another'))).rejects.toMatchObject({ status: 403 });
  });

  it('an apply that creates needs the right to create', async () => {
    const { client, namespace } = subject();
    const { client: mender, user } = actor('mender');
    await client.create(role(namespace, 'mender', [rule(['configmaps'], ['get', 'patch'])]));
    await client.create(binding(namespace, 'mender', [account(namespace, 'mender')]));
    await client.create(configMap(namespace, 'mended', { a: '1' }));
    await expect.poll(() => said(mender.apply(configMap(namespace, 'mended', { b: '2' }))), PATIENCE).toBe('done');
    await expect(mender.apply(configMap(namespace, 'new', { b: '2' }))).rejects.toMatchObject({
      status: 403,
      said: expect.stringContaining(`User "${user}" cannot create resource "configmaps"`),
    });
  });

  it('groups of an impersonated user count, and so do those of service accounts', async () => {
    const { client, namespace } = subject();
    await client.create(role(namespace, 'readers', [rule(['secrets'], ['list'])]));
    const groups = ['sailors', `system:serviceaccounts:${namespace}`];
    const subjects = groups.map((name) => ({ apiGroup: RBAC, kind: 'Group', name }));
    await client.create(binding(namespace, 'readers', subjects));
    const sailor = client.actingAs({ user: 'jane', groups: ['sailors'] });
    await expect.poll(() => listed(sailor, 'Secret', namespace), PATIENCE).toBe('done');
    await expect.poll(() => listed(actor('anybody').client, 'Secret', namespace), PATIENCE).toBe('done');
    await expect(client.actingAs({ user: 'jane' }).list({ apiVersion: 'v1', kind: 'Secret' })).rejects.toMatchObject({
      status: 403,
    });
  });

  it('a binding to a role that is not there says so', async () => {
    const { client, namespace } = subject();
    const lost = actor('lost').client;
    await client.create(binding(namespace, 'lost', [account(namespace, 'lost')]));
    const text = `: RBAC: role.${RBAC} "lost" not found`;
    await expect.poll(() => listed(lost, 'ConfigMap', namespace), PATIENCE).toContain(text);
  });

  it('reviews of access answer the same', async () => {
    const { client, namespace } = subject();
    const review = async (verb: string) => {
      const spec = {
        ...{ user: `system:serviceaccount:${namespace}:viewer`, groups: ['system:authenticated'] },
        resourceAttributes: { namespace, verb, resource: 'configmaps' },
      };
      const made: KubernetesObject = {
        ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {} },
        spec,
      };
      return (await client.create(made)).object['status'];
    };
    await client.create(role(namespace, 'viewer', [rule(['configmaps'], ['list'])]));
    await client.create(binding(namespace, 'viewer', [account(namespace, 'viewer')]));
    await expect.poll(() => review('list'), PATIENCE).toMatchObject({ allowed: true });
    await expect(review('watch')).resolves.toMatchObject({ allowed: false });
  });
}
