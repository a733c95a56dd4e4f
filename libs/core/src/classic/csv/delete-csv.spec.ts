import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { stepCsv } from './step-csv.js';
import { gear, world } from './world/csv-world.fixture.js';

const deleting = () => {
  const csv = gear('v1', {}, { phase: 'Succeeded' });
  const finalizers = ['someone.else/holds', 'operators.coreos.com/csv-cleanup'];
  return { ...csv, metadata: { ...csv.metadata, finalizers, deletionTimestamp: '2026-01-01T00:00:00Z' } };
};
const clusterScoped = (kind: string, owner: string): KubernetesObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: {
    name: `${owner}-${kind}`,
    labels: { 'olm.owner': owner, 'olm.owner.namespace': 'mill', 'olm.owner.kind': 'ClusterServiceVersion' },
  },
});

describe('the end of a CSV', () => {
  it('deletes its cluster-scoped RBAC first, and no one else’s, and waits until it is gone', () => {
    const step = stepCsv(
      deleting(),
      world({
        clusterRoles: [clusterScoped('ClusterRole', 'v1'), clusterScoped('ClusterRole', 'v2')],
        clusterRoleBindings: [clusterScoped('ClusterRoleBinding', 'v1')],
      }),
    );
    expect(step.actions).toMatchObject([
      { do: 'delete', ref: { kind: 'ClusterRoleBinding', name: 'v1-ClusterRoleBinding' } },
      { do: 'delete', ref: { kind: 'ClusterRole', name: 'v1-ClusterRole' } },
    ]);
    expect(step.next).toMatchObject({ again: 'later', because: 'waiting for ClusterRoleBindings to delete' });
    expect(step.status).toBeUndefined();
  });

  it('releases its own finalizer only', () => {
    expect(stepCsv(deleting(), world()).actions).toMatchObject([
      { do: 'patch', patch: { metadata: { resourceVersion: '1', finalizers: ['someone.else/holds'] } } },
    ]);
  });

  it('asks for its own deletion, by uid, once it has been replaced', () => {
    expect(stepCsv(gear('v1', {}, { phase: 'Deleting' }), world()).actions).toMatchObject([
      { do: 'delete', ref: { kind: 'ClusterServiceVersion', name: 'v1', namespace: 'mill' }, uid: 'uid-of-v1' },
    ]);
  });

  it('is locked to what was read, and so is the deletion of its rights', () => {
    const role = clusterScoped('ClusterRole', 'v1');
    const clusterRoles = [{ ...role, metadata: { ...role.metadata, resourceVersion: '7' } }];
    expect(stepCsv(deleting(), world({ clusterRoles })).actions).toMatchObject([{ resourceVersion: '7' }]);
    const replaced = gear('v1', {}, { phase: 'Deleting' });
    expect(stepCsv(replaced, world()).actions).toMatchObject([
      { resourceVersion: replaced.metadata.resourceVersion ?? 'none' },
    ]);
  });
});
