import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClassicCluster, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { lampCsv, SUCCEEDED } from './csvs.fixture.js';
import { operatorConditionStage } from './operator-condition.stage.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
});
afterEach(() => at.stop());

const CONDITION = refTo('OperatorCondition', 'lamp.v1', 'shop');
const pass = () => at.pass('shop', [operatorConditionStage]);
async function atRest(): Promise<void> {
  at.writes();
  expect(await pass()).toEqual({ rounds: 1, result: 'done' });
  expect(at.writes()).toEqual([]);
}
const RULES = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const said = (status: string) => ({
  ...{ type: 'Upgradeable', status, reason: 'Busy', message: 'the lamp is lit' },
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('csv-lifecycle.md §8: OperatorCondition', () => {
  it.each([
    { parts: {}, accounts: ['default'], because: 'no permissions' },
    { parts: { rules: RULES }, accounts: ['lamp'], because: 'permissions in the namespace' },
    { parts: { rules: RULES, clusterRules: RULES }, accounts: ['lamp', 'lamp'], because: 'and in the cluster' },
  ])('has the accounts and Deployments of the CSV, and is owned by it: $because', async ({ parts, accounts }) => {
    const { metadata } = at.put(lampCsv('shop', 'lamp.v1', parts));
    await pass();
    expect(at.get(CONDITION)).toMatchObject({
      spec: { serviceAccounts: accounts, deployments: ['lamp'] },
      metadata: { ownerReferences: [{ kind: 'ClusterServiceVersion', uid: metadata.uid, controller: true }] },
    });
    await atRest();
  });

  it('the accounts may write that one object, and no other', async () => {
    at.put(lampCsv('shop', 'lamp.v1', { rules: RULES }));
    await pass();
    expect(at.get(refTo('Role', 'lamp.v1', 'shop'))?.['rules']).toEqual([
      {
        verbs: ['get', 'update', 'patch'],
        apiGroups: ['operators.coreos.com'],
        resources: ['operatorconditions'],
        resourceNames: ['lamp.v1'],
      },
    ]);
    expect(at.get(refTo('RoleBinding', 'lamp.v1', 'shop'))).toMatchObject({
      roleRef: { kind: 'Role', name: 'lamp.v1' },
      subjects: [{ kind: 'ServiceAccount', name: 'lamp' }],
    });
  });

  it('what the operator says is copied into the status, with the generation that it is of', async () => {
    at.put(lampCsv('shop'));
    await pass();
    at.cluster.edit(CONDITION, ({ spec }) => Object.assign(spec as object, { conditions: [said('False')] }));
    await pass();
    const { generation } = at.get(CONDITION)?.metadata ?? {};
    expect(at.status(CONDITION)).toEqual({ conditions: [{ ...said('False'), observedGeneration: generation }] });
    await atRest();
  });

  it('what the operator and users wrote stays when the Deployments of the CSV change', async () => {
    at.put(lampCsv('shop'));
    await pass();
    const overrides = [{ type: 'Upgradeable', status: 'True', reason: 'Sure', message: 'go on' }];
    at.cluster.edit(CONDITION, ({ spec }) => Object.assign(spec as object, { overrides, deployments: ['edited'] }));
    await pass();
    expect(at.get(CONDITION)?.['spec']).toMatchObject({ overrides, deployments: ['lamp'] });
  });

  it.each(['OperatorCondition', 'Role', 'RoleBinding'])('a %s that was deleted comes back', async (kind) => {
    at.put(lampCsv('shop'));
    await pass();
    at.cluster.delete(refTo(kind, 'lamp.v1', 'shop'));
    await settled();
    await pass();
    await settled();
    await pass();
    for (const name of ['OperatorCondition', 'Role', 'RoleBinding'])
      expect(at.names(name, 'shop')).toEqual(['shop/lamp.v1']);
  });

  it.each([
    ['a copy', { metadata: { labels: { 'olm.copiedFrom': 'home' } }, status: { ...SUCCEEDED, reason: 'Copied' } }],
    ['a CSV that is being deleted', { metadata: { finalizers: ['kept/by-a-test'] } }],
  ])('%s gets none', async (what, parts) => {
    at.put(lampCsv('shop', 'lamp.v1', parts));
    if (what !== 'a copy') at.cluster.delete(refTo('ClusterServiceVersion', 'lamp.v1', 'shop'));
    await pass();
    expect(at.names('OperatorCondition', 'shop')).toEqual([]);
  });

  it('a namespace without CSVs costs no request beyond what every pass reads', async () => {
    await pass();
    expect(at.asked().filter(({ resource }) => ['operatorconditions', 'roles'].includes(resource ?? ''))).toEqual([]);
  });

  it('a Role that may not be written does not hold up the condition of the next CSV', async () => {
    at.put(lampCsv('shop'));
    at.put(lampCsv('shop', 'wick.v1'));
    const match = { verb: 'create', resource: 'roles', namespace: 'shop' };
    at.cluster.failNext(match, 403, 'Forbidden', 'hands off');
    await pass();
    expect(at.names('OperatorCondition', 'shop')).toEqual(['shop/lamp.v1', 'shop/wick.v1']);
    expect(at.names('Role', 'shop')).toContain('shop/wick.v1');
    await pass();
    expect(at.names('Role', 'shop')).toEqual(['shop/lamp.v1', 'shop/wick.v1']);
  });

  it('a condition that was edited meanwhile (409) is read again, and keeps the edit', async () => {
    at.put(lampCsv('shop'));
    await pass();
    at.cluster.edit(CONDITION, ({ spec }) => Object.assign(spec as object, { conditions: [said('False')] }));
    at.cluster.failNext({ verb: 'update', resource: 'operatorconditions' }, 409, 'Conflict');
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(at.get(CONDITION)?.['spec']).toMatchObject({ conditions: [said('False')] });
    expect(at.status(CONDITION)).toMatchObject({ conditions: [said('False')] });
  });

  it('an OperatorCondition of OLM itself is taken over: no second one, and its status stays', async () => {
    const conditions = [{ ...said('True'), observedGeneration: 1 }];
    at.put(
      objectOf('OperatorCondition', 'lamp.v1', 'shop', {
        spec: { conditions: [said('True')] },
        status: { conditions },
      }),
    );
    at.put(lampCsv('shop'));
    await pass();
    expect(at.names('OperatorCondition')).toEqual(['shop/lamp.v1']);
    expect(at.get(CONDITION)?.['spec']).toMatchObject({ deployments: ['lamp'], conditions: [said('True')] });
    await atRest();
  });
});
