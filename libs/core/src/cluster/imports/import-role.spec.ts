import { load, loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { importRole } from './import-role.js';

const accounts = ['flotilla/catalog-poller', 'anna@example.com'];

describe('the Role of an import', () => {
  it.each([
    { tool: 'ArgoCD', namespace: 'argocd', resources: [['', 'secrets']] },
    {
      tool: 'ClusterAPI',
      namespace: 'clusters',
      resources: [
        ['cluster.x-k8s.io', 'clusters'],
        ['', 'secrets'],
      ],
    },
    {
      tool: 'Rancher',
      namespace: 'fleet-default',
      resources: [
        ['provisioning.cattle.io', 'clusters'],
        ['', 'secrets'],
      ],
    },
  ] as const)('of $tool reads its objects and Secrets in one namespace', ({ tool, namespace, resources }) => {
    const [role, binding] = loadAll(importRole({ tool, namespace, accounts }));
    const name = `flotilla-import-${tool.toLowerCase()}`;
    expect(role).toEqual({
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name, namespace } },
      rules: resources.map(([group, resource]) => ({
        ...{ apiGroups: [group], resources: [resource], verbs: ['get', 'list', 'watch'] },
      })),
    });
    expect(binding).toEqual({
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name, namespace } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [
        { kind: 'ServiceAccount', name: 'catalog-poller', namespace: 'flotilla' },
        { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'anna@example.com' },
      ],
    });
  });

  it('of OCM reads ManagedClusters and no Secret', () => {
    const [role] = loadAll(importRole({ tool: 'OCM', accounts }));
    expect(role).toMatchObject({
      kind: 'ClusterRole',
      rules: [{ apiGroups: ['cluster.open-cluster-management.io'], resources: ['managedclusters'] }],
    });
  });

  it('takes the name of an account as a name', () => {
    const text = importRole({ tool: 'OCM', accounts: ['x: {y}\n- z'] });
    expect((load(text.split('---\n')[1] ?? '') as { subjects: unknown }).subjects).toEqual([
      { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'x: {y}\n- z' },
    ]);
  });
});
