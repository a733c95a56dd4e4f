import { describe, expect, it } from 'vitest';
import { stepCopies } from '#core/classic/csv/copies/step-copies';
import type { Action } from '#core/kernel/actions/action';
import { ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import { changedAfter } from '#core/kernel/rbac/rights-changed';
import { heldBytes } from '#core/kernel/read-budget/held-bytes';
import { CACHED_KINDS } from './cached-kinds.js';

const keptOf = (kind: string, object: KubernetesObject) =>
  CACHED_KINDS.find((one) => one.kind === kind)?.reduce?.(object);

describe('what a cache keeps of an object', () => {
  it.each(['Role', 'RoleBinding', 'ServiceAccount', 'OperatorGroup'])(
    '%s: when it was changed, so that more rights wake what waits for them',
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

  it('ClusterServiceVersion: of a copy little enough for 100,000 of them, and what shows that it is in step', () => {
    const original = ClusterServiceVersion.parse({
      ...CSV_API,
      metadata: { name: 'lamp.v1.0.0', namespace: 'home', annotations: { capabilities: 'x'.repeat(20_000) } },
      spec: { icon: [{ base64data: 'x'.repeat(20_000) }] },
      status: { phase: 'Succeeded', reason: 'InstallSucceeded', message: 'done' },
    });
    const group = { metadata: { namespace: 'home' }, status: { namespaces: ['there'] } } as unknown as OperatorGroup;
    const step = (copy?: KubernetesObject) => {
      const namesakes = copy === undefined ? [] : [ClusterServiceVersion.parse(copy)];
      return stepCopies(original, { group, namespaces: ['home', 'there'], namesakes, roles: [], roleBindings: [] });
    };
    const written = (actions: readonly Action[]): KubernetesObject => {
      const [action] = actions;
      if (action === undefined || !('object' in action)) throw new Error('nothing is written');
      const metadata = { ...action.object.metadata, uid: 'u', finalizers: ['kept/by-another'] };
      return { ...action.object, metadata };
    };
    const kept = (copy: KubernetesObject) => keptOf('ClusterServiceVersion', copy) ?? copy;
    const created = kept(written(step()));
    const copy = written(step(created));
    expect(copy).toMatchObject({ spec: original.spec, status: { reason: 'Copied', phase: 'Succeeded' } });
    expect(step(kept(copy))).toEqual([]);
    expect(isCopied(ClusterServiceVersion.parse(kept(copy)))).toBe(true);
    expect(heldBytes(kept(copy))).toBeLessThan(1_200);
    const edited = step(kept({ ...copy, spec: { icon: [] } }));
    expect(edited).toMatchObject([{ do: 'update', object: { spec: original.spec } }]);
    expect(written(edited).metadata.finalizers).toEqual(['kept/by-another']);
    expect(Object.keys(written(edited))).not.toContain('copyDigests');
  });

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
