import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApplierBench } from './applier-support/applier-bench.js';

const LIGHTHOUSE = 'lighthouse-operator.v1.0.0';

describe('with whose rights the applier works', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  const RBAC = 'rbac.authorization.k8s.io';
  const EVERYTHING = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };

  function attenuated(namespace: string, rules: readonly unknown[]): void {
    bench.namespace(namespace, [namespace], { serviceAccountName: 'clerk' });
    const metadata = { name: 'clerk', namespace };
    bench.cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    const name = `clerk-of-${namespace}`;
    bench.cluster.create({ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
    bench.cluster.create({
      ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name } },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    });
    bench.subscribe(namespace, 'lighthouse-operator');
  }
  const reason = (namespace: string) => bench.csvs(namespace)[0]?.status?.reason;
  const creates = (resource: string) =>
    bench.cluster.requests.filter((request) => request.verb === 'create' && request.resource === resource);

  it('steps and Deployments: those of the group’s service account; CRDs and statuses: its own', async () => {
    attenuated('rights', [EVERYTHING]);
    bench.cluster.requests.clear();
    await bench.installed('rights', LIGHTHOUSE);
    const as = (resource: string) => [...new Set(creates(resource).map(({ impersonatedUser }) => impersonatedUser))];
    const clerk = ['system:serviceaccount:rights:clerk'];
    expect(as('deployments')).toEqual(clerk);
    expect(as('services')).toEqual(clerk);
    expect(as('serviceaccounts')).toEqual(clerk);
    expect(as('customresourcedefinitions')).toEqual([undefined]);
    expect(as('operatorconditions')).toEqual([undefined]);
    const statuses = bench.cluster.requests.filter(({ subresource }) => subresource === 'status');
    expect(new Set(statuses.map(({ impersonatedUser }) => impersonatedUser))).toEqual(new Set([undefined]));
  });

  it('an install that is forbidden stays failed until rights change, and then goes on by itself', async () => {
    const groups = ['', 'operators.coreos.com', RBAC];
    attenuated('forbidden', [{ ...EVERYTHING, apiGroups: groups }]);
    const user = 'system:serviceaccount:forbidden:clerk';
    const message = `deployments.apps is forbidden: User "${user}" cannot create resource "deployments"`;
    await bench.settle('forbidden', () => bench.describe('forbidden') === `${LIGHTHOUSE} Failed`);
    expect(bench.csvs('forbidden')[0]?.status).toMatchObject({
      reason: 'InstallComponentFailedNoRetry',
      message: expect.stringContaining(message),
    });
    bench.cluster.requests.clear();
    await bench.pass('forbidden');
    expect(creates('deployments'), 'nothing is tried meanwhile').toEqual([]);
    const role = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', name: 'clerk-of-forbidden' };
    bench.cluster.edit(role, (live) => Object.assign(live, { rules: [EVERYTHING] }));
    bench.cluster.create({
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: 'more', namespace: 'forbidden', labels: { 'olm.managed': 'true' } },
      rules: [EVERYTHING],
    });
    await bench.installed('forbidden', LIGHTHOUSE);
  });

  it.each([
    { status: 503, word: 'ServiceUnavailable', because: 'the API server is busy' },
    { status: 500, word: 'InternalError', because: 'the API server has a problem' },
    { status: 504, word: 'Timeout', because: 'a webhook was slow' },
  ])('$word is no verdict on the operator: $because', async ({ status, word }) => {
    const namespace = `passing-${status}`;
    bench.namespace(namespace);
    bench.subscribe(namespace, 'lighthouse-operator');
    bench.cluster.failNext({ verb: 'create', resource: 'deployments', namespace }, status, word);
    await bench.installed(namespace, LIGHTHOUSE);
    const history = bench.csvs(namespace)[0]?.status?.conditions ?? [];
    expect(history.map(({ phase }) => phase)).not.toContain('Failed');
    expect(reason(namespace)).toBe('InstallSucceeded');
  });

  it('the operator may write its OperatorCondition, and what it says there is mirrored into the status', async () => {
    const condition = { apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition', name: LIGHTHOUSE };
    bench.cluster.edit({ ...condition, namespace: 'rights' }, (object) => {
      Object.assign(object['spec'] as object, {
        conditions: [
          {
            ...{ type: 'Upgradeable', status: 'False', reason: 'Busy', message: 'the lamp is lit' },
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      });
    });
    await bench.settle('rights', () => true);
    const live = bench.cluster.get({ ...condition, namespace: 'rights' });
    expect(live?.['status']).toMatchObject({
      conditions: [{ type: 'Upgradeable', status: 'False', observedGeneration: live?.metadata.generation }],
    });
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', name: LIGHTHOUSE, namespace: 'rights' };
    expect(bench.cluster.get(role)?.['rules']).toMatchObject([
      { verbs: ['get', 'update', 'patch'], resources: ['operatorconditions'], resourceNames: [LIGHTHOUSE] },
    ]);
  });
});
