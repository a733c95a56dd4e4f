import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ClassicCluster, GLOBAL, objectOf, refTo } from '../classic-cluster.fixture.js';
import { lampCsv, SUCCEEDED } from '../csvs/csvs.fixture.js';
import { subscribe } from '../subscriptions/subscriptions.fixture.js';
import { operatorStage } from './operator.stage.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
});
afterEach(() => at.stop());

const MINE = refTo('Operator', 'mine');
const pass = (namespace = GLOBAL) => at.pass(namespace, [operatorStage], { reads: at.laggingReads() });
const labelled = (label: string) => ({ metadata: { labels: { [`operators.coreos.com/${label}`]: '' } } });
type Components = { labelSelector: unknown; refs: { kind: string; namespace?: string; name: string }[] };
const components = (ref = MINE) => at.status(ref)['components'] as Components | undefined;
const refs = (ref = MINE) =>
  components(ref)?.refs.map(({ kind, namespace = '', name }) => `${kind} ${namespace}/${name}`);
const account = (name: string, namespace: string, label = 'mine') =>
  at.put(objectOf('ServiceAccount', name, namespace, labelled(label)));

describe('csv-lifecycle.md §12: an Operator that a user makes', () => {
  it('gets its selector, and names what carries its label in all namespaces', async () => {
    at.put(objectOf('Operator', 'mine', undefined, { spec: {} }));
    await pass();
    expect(components()?.labelSelector).toEqual({
      matchExpressions: [{ key: 'operators.coreos.com/mine', operator: 'Exists' }],
    });
    at.put(objectOf('Namespace', 'hall', undefined, labelled('mine')));
    account('a', 'hall');
    account('b', 'shop');
    account('c', 'shop', 'other');
    await pass();
    expect(refs()).toEqual(['Namespace /hall', 'ServiceAccount hall/a', 'ServiceAccount shop/b']);
    at.writes();
    await pass();
    expect(at.writes()).not.toContainEqual(expect.stringContaining('operators/mine'));
    at.cluster.edit(refTo('ServiceAccount', 'a', 'hall'), ({ metadata }) => delete metadata.labels);
    await pass();
    expect(refs()).toEqual(['Namespace /hall', 'ServiceAccount shop/b']);
  });

  it('comes back while it has components, and not without', async () => {
    account('a', 'shop');
    await pass();
    expect(refs()).toEqual(['ServiceAccount shop/a']);
    at.cluster.delete(MINE);
    await pass();
    expect(refs()).toEqual(['ServiceAccount shop/a']);
    at.cluster.delete(refTo('ServiceAccount', 'a', 'shop'));
    at.cluster.delete(MINE);
    await pass();
    expect(at.get(MINE)).toBeUndefined();
  });

  it.each([
    { name: 'mine.shop', by: 'shop', because: 'that namespace is there' },
    { name: 'mine.nowhere', by: GLOBAL, because: 'there is no such namespace' },
    { name: 'mine.2.0', by: GLOBAL, because: 'a version is no namespace' },
  ])('$name is kept by the pass over $by alone: $because', async ({ name, by }) => {
    const ref = refTo('Operator', name);
    at.put(objectOf('Operator', name, undefined, { spec: {} }));
    at.put(objectOf('Namespace', 'hall'));
    account('a', 'hall', name);
    await pass(by === 'shop' ? GLOBAL : 'shop');
    expect(refs(ref)).toBeUndefined();
    await pass(by);
    expect(refs(ref)).toEqual(['ServiceAccount hall/a']);
  });

  it('is not made of a label that no object can be named by, or that was cut', async () => {
    account('a', 'shop', 'Mine');
    account('b', 'shop', 'm'.repeat(63));
    await pass();
    expect(at.names('Operator')).toEqual([]);
  });
});

describe('a package whose name no object can have', () => {
  const odd = () => subscribe(at, 'odd', { spec: { name: 'PkgMain-x' } });

  it('has labelled parts and no Operator, says so once, and ends the pass as done', async () => {
    odd();
    subscribe(at, 'wick', { spec: { name: 'wick' } });
    expect(await at.pass('shop', [operatorStage])).toMatchObject({ result: 'done' });
    expect(await at.pass('shop', [operatorStage])).toMatchObject({ result: 'done' });
    expect(at.get(refTo('Subscription', 'odd', 'shop'))?.metadata.labels).toHaveProperty([
      'operators.coreos.com/PkgMain-x.shop',
    ]);
    expect(at.names('Operator')).toEqual(['wick.shop']);
    expect(at.events('shop')).toEqual([
      expect.stringMatching(
        /^Warning InvalidOperatorName Subscription\/odd: no Operator gathers .* "PkgMain-x.shop" is not a name/,
      ),
    ]);
  });
});

it('an Operator that the API server refuses does not keep the others from their status', async () => {
  subscribe(at, 'lamp', { spec: { name: 'lamp' } });
  subscribe(at, 'wick', { spec: { name: 'wick' } });
  at.put(objectOf('Operator', 'wick.shop', undefined, { spec: {} }));
  at.cluster.failAll({ verb: 'create', resource: 'operators' }, new Refusal(403, 'Forbidden', 'no'));
  expect(await at.pass('shop', [operatorStage])).toMatchObject({ result: 'refused', error: { said: 'no' } });
  expect(refs(refTo('Operator', 'wick.shop'))).toEqual(['Subscription shop/wick']);
});

it('§12: an owned APIService gets the component label, and is named', async () => {
  const api = { group: 'wicks.example.com', version: 'v1', kind: 'Wick', name: 'wicks', deploymentName: 'lamp' };
  const csv = lampCsv('shop', 'lamp.v1', { status: SUCCEEDED, spec: { apiservicedefinitions: { owned: [api] } } });
  at.put(csv);
  subscribe(at, 'lamp', { status: { installedCSV: 'lamp.v1', currentCSV: 'lamp.v1', state: 'AtLatestKnown' } });
  const owner = { 'olm.owner': 'lamp.v1', 'olm.owner.namespace': 'shop', 'olm.owner.kind': 'ClusterServiceVersion' };
  const apiService = (name: string, labels: Record<string, string>) =>
    at.put({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name, labels },
      spec: { group: 'wicks.example.com', version: name.split('.')[0], groupPriorityMinimum: 1, versionPriority: 1 },
    });
  apiService('v1.wicks.example.com', owner);
  apiService('v2.wicks.example.com', {});
  await at.pass('shop', [operatorStage]);
  await at.pass('shop', [operatorStage]);
  expect(refs(refTo('Operator', 'lamp.shop'))).toContain('APIService /v1.wicks.example.com');
  expect(refs(refTo('Operator', 'lamp.shop'))).not.toContain('APIService /v2.wicks.example.com');
});
