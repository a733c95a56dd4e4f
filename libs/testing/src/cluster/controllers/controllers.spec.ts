import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PATIENCE } from '../../patience.js';
import { BareCluster } from '../bare-cluster.js';
import { arrayAt, isObject } from '../objects/json.js';
import { NEVER_READY } from './deployments.controller.js';

const map = (name: string, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...metadata },
});
const mapRef = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'default' });
const deployment = (annotations: Record<string, string> = {}, spec: object = {}): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'default', annotations },
  spec: {
    replicas: 2,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...spec,
  },
});
const deploymentRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', namespace: 'default' };

describe('what runs beside the API', () => {
  let bare: BareCluster;
  beforeEach(() => {
    bare = new BareCluster();
  });
  afterEach(() => bare.stop());

  const conditions = () =>
    arrayAt(bare.cluster.get(deploymentRef), 'status', 'conditions')
      .filter(isObject)
      .map(({ type, status, reason }) => `${type}=${status} ${reason}`);
  const owner = (of: { metadata: { name: string; uid: string } }) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: of.metadata.name,
    uid: of.metadata.uid,
  });

  it('a Deployment becomes available, and again after its spec changed', async () => {
    bare.cluster.create(deployment());
    const available = ['Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetAvailable'];
    await expect.poll(conditions, PATIENCE).toEqual(available);
    bare.cluster.edit(deploymentRef, (found) => {
      found.spec = { ...(found.spec as object), replicas: 5 };
    });
    await expect
      .poll(() => bare.cluster.get(deploymentRef)?.status, PATIENCE)
      .toMatchObject({
        observedGeneration: 2,
        replicas: 5,
        updatedReplicas: 5,
        readyReplicas: 5,
        availableReplicas: 5,
      });
    expect(conditions()).toEqual(available);
  });

  it('one that is set so never does, and runs out of time', async () => {
    bare.cluster.create(deployment({ [NEVER_READY]: 'true' }, { progressDeadlineSeconds: 1 }));
    await expect.poll(conditions, PATIENCE).toContain('Progressing=True ReplicaSetUpdated');
    await expect
      .poll(conditions, PATIENCE)
      .toEqual(['Available=False MinimumReplicasUnavailable', 'Progressing=False ProgressDeadlineExceeded']);
  });

  it('dependents go with their owner, through generations', async () => {
    const parent = bare.cluster.create(map('parent'));
    const child = bare.cluster.create(map('child', { ownerReferences: [owner(parent)] }));
    bare.cluster.create(map('grandchild', { ownerReferences: [owner(child)] }));
    bare.cluster.delete(mapRef('parent'));
    await expect.poll(() => bare.cluster.get(mapRef('grandchild')), PATIENCE).toBeUndefined();
    expect(bare.cluster.get(mapRef('child'))).toBeUndefined();
  });

  it('an owner of that name with another uid is no owner', async () => {
    bare.cluster.create(map('parent'));
    bare.cluster.create(
      map('child', { ownerReferences: [{ ...owner({ metadata: { name: 'parent', uid: 'other' } }) }] }),
    );
    await expect.poll(() => bare.cluster.get(mapRef('child')), PATIENCE).toBeUndefined();
    expect(bare.cluster.get(mapRef('parent'))).toBeDefined();
  });

  it('with one of two owners gone a dependent stays, with the other', async () => {
    const [first, second] = [bare.cluster.create(map('first')), bare.cluster.create(map('second'))];
    bare.cluster.create(map('child', { ownerReferences: [owner(first), owner(second)] }));
    bare.cluster.delete(mapRef('first'));
    await expect
      .poll(() => bare.cluster.get(mapRef('child'))?.metadata.ownerReferences, PATIENCE)
      .toEqual([owner(second)]);
  });

  it.each([
    { propagation: 'Orphan' as const, child: true, because: 'orphans stay' },
    { propagation: 'Foreground' as const, child: false, because: 'the owner waits for them' },
  ])('propagation $propagation: $because', async ({ propagation, child }) => {
    const parent = bare.cluster.create(map('parent'));
    bare.cluster.create(map('child', { ownerReferences: [owner(parent)] }));
    bare.cluster.delete(mapRef('parent'), { propagation });
    await expect.poll(() => bare.cluster.get(mapRef('parent')), PATIENCE).toBeUndefined();
    expect(bare.cluster.get(mapRef('child')) !== undefined).toBe(child);
  });

  it('a namespace is furnished, takes nothing while it goes, and takes its content along', async () => {
    const inside = (kind: string, name: string) => ({ apiVersion: 'v1', kind, name, namespace: 'web' });
    bare.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
    await expect.poll(() => bare.cluster.get(inside('ServiceAccount', 'default')), PATIENCE).toBeDefined();
    await expect.poll(() => bare.cluster.get(inside('ConfigMap', 'kube-root-ca.crt')), PATIENCE).toBeDefined();
    bare.cluster.create(map('held', { namespace: 'web', finalizers: ['example.com/hold'] }));
    bare.cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'web' });
    const late = bare.send({
      method: 'POST',
      path: '/api/v1/namespaces/web/configmaps',
      body: { metadata: { name: 'late' } },
    });
    expect(late).toMatchObject({
      code: 403,
      body: {
        message:
          'configmaps "late" is forbidden: unable to create new content in namespace web because it is being terminated',
      },
    });
    await expect.poll(() => bare.cluster.get(inside('ConfigMap', 'kube-root-ca.crt')), PATIENCE).toBeUndefined();
    expect(bare.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: 'web' })?.status).toEqual({
      phase: 'Terminating',
    });
    bare.cluster.edit(inside('ConfigMap', 'held'), (found) => {
      found.metadata.finalizers = [];
    });
    await expect
      .poll(() => bare.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: 'web' }), PATIENCE)
      .toBeUndefined();
  });

  it('an aggregated ClusterRole holds the rules of those it selects, while they are there', async () => {
    const role = (name: string, labels: object, rest: object) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name, labels } as KubernetesObject['metadata'],
      ...rest,
    });
    const rule = { apiGroups: ['t.dev'], resources: ['foos'], verbs: ['get'] };
    const sum = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'sum' };
    const clusterRoleSelectors = [{ matchLabels: { to: 'sum' } }, { matchLabels: { first: 'no' } }];
    bare.cluster.create(role('sum', {}, { aggregationRule: { clusterRoleSelectors }, rules: [] }));
    bare.cluster.create(role('part', { to: 'sum' }, { rules: [rule] }));
    await expect.poll(() => bare.cluster.get(sum)?.rules, PATIENCE).toEqual([rule]);
    const second = { ...rule, verbs: ['list'] };
    bare.cluster.create(role('a-part', { first: 'no' }, { rules: [rule, second] }));
    await expect.poll(() => bare.cluster.get(sum)?.rules, PATIENCE).toEqual([rule, second]);
    bare.cluster.delete({ ...sum, name: 'a-part' });
    bare.cluster.delete({ ...sum, name: 'part' });
    await expect.poll(() => bare.cluster.get(sum)?.rules, PATIENCE).toEqual([]);
  });
});
