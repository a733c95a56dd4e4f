import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClassicCluster, objectOf } from '../classic-cluster.fixture.js';
import { isAllowed } from './is-allowed.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
});
afterEach(() => at.stop());

describe('whether a service account may', () => {
  const may = {
    verb: 'update',
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    name: 'lamps.example.com',
  };
  const clerk = () =>
    at.client.actingAs({ user: 'system:serviceaccount:shop:clerk', groups: ['system:authenticated'] });

  it.each([
    { rules: [], allowed: false },
    {
      rules: [
        { apiGroups: [may.group], resources: [may.resource], verbs: ['update'], resourceNames: ['wicks.example.com'] },
      ],
      allowed: false,
    },
    {
      rules: [{ apiGroups: [may.group], resources: [may.resource], verbs: ['update'], resourceNames: [may.name] }],
      allowed: true,
    },
    { rules: [{ apiGroups: [may.group], resources: [may.resource], verbs: ['get'] }], allowed: false },
  ])('$rules: $allowed', async ({ rules, allowed }) => {
    at.put(objectOf('ClusterRole', 'clerk', undefined, { rules }));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'clerk' };
    at.put(
      objectOf('ClusterRoleBinding', 'clerk', undefined, {
        roleRef,
        subjects: [{ kind: 'ServiceAccount', name: 'clerk', namespace: 'shop' }],
      }),
    );
    expect(await isAllowed(clerk(), may)).toBe(allowed);
  });

  it('an answer without a verdict is an error, and no right', async () => {
    const odd = { create: async () => ({ object: { ...objectOf('SelfSubjectAccessReview', '') }, warnings: [] }) };
    await expect(isAllowed(odd as unknown as Parameters<typeof isAllowed>[0], may)).rejects.toThrow();
  });
});
