import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { changedAfter } from '#core/kernel/rbac/rights-changed';
import { CACHED_KINDS } from './cached-kinds.js';

const keptOf = (kind: string, object: KubernetesObject) =>
  CACHED_KINDS.find((one) => one.kind === kind)?.reduce?.(object);

describe('what a mirror keeps of an object', () => {
  it.each(['Role', 'RoleBinding', 'ServiceAccount', 'OperatorGroup'])(
    '%s: when somebody changed it, so that more rights wake what waits for them',
    (kind) => {
      const managedFields = [
        { manager: 'kubectl-edit', operation: 'Update', time: '2026-01-02T00:00:00Z', fieldsV1: { 'f:rules': {} } },
      ];
      const metadata = { name: 'clerk', creationTimestamp: '2026-01-01T00:00:00Z', managedFields };
      const kept = keptOf(kind, { apiVersion: 'v1', kind, metadata });
      expect(changedAfter('2026-01-01T12:00:00Z', kept === undefined ? [] : [kept])).toBe(true);
      expect(JSON.stringify(kept)).not.toContain('fieldsV1');
    },
  );

  it('Secret: that it is there and whose, and nothing of what it holds', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"tls.key":"c2VjcmV0"}}' };
    const labels = { 'olm.managed': 'true' };
    const metadata = { name: 'cert', labels, annotations, managedFields: [{ manager: 'x' }] };
    const kept = keptOf('Secret', { apiVersion: 'v1', kind: 'Secret', metadata, data: { 'tls.key': 'c2VjcmV0' } });
    expect(kept).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'cert', labels: { 'olm.managed': 'true' } },
    });
  });
});
