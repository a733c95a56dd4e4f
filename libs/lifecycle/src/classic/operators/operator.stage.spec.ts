import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ClassicCluster, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { crd, inPhase, LAMP_DEPLOYMENT, lampCsv, SUCCEEDED } from '../csvs/csvs.fixture.js';
import { planOf } from '../install-plans/install-plans.fixture.js';
import { subscribe, subscription } from '../subscriptions/subscriptions.fixture.js';
import { operatorStage } from './operator.stage.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
});
afterEach(() => at.stop());

const LABEL = 'operators.coreos.com/lamp.shop';
const OPERATOR = refTo('Operator', 'lamp.shop');
const pass = (reads?: ReturnType<ClassicCluster['laggingReads']>) =>
  at.pass('shop', [operatorStage], reads === undefined ? {} : { reads });
const isLabelled = (kind: string, name: string, namespace?: string) =>
  at.get(refTo(kind, name, namespace))?.metadata.labels?.[LABEL] !== undefined;
type Refs = { components: { refs: { kind: string; name: string; namespace?: string; conditions?: unknown }[] } };
const refs = () => (at.status(OPERATOR) as Partial<Refs>).components?.refs.map(({ kind, name }) => `${kind} ${name}`);
async function atRest(): Promise<void> {
  at.writes();
  expect(await pass()).toEqual({ rounds: 1, result: 'done' });
  expect(at.writes()).toEqual([]);
}

/** An installed operator: Subscription, plan, CSV, Deployment and rights; `more` of the CSV's spec. */
function installed(spec: object = {}): KubernetesObject {
  const csv = at.put(lampCsv('shop', 'lamp.v1', { status: SUCCEEDED, spec: { ...spec } }));
  const { uid = '' } = csv.metadata;
  const ownerReferences = [{ apiVersion: csv.apiVersion, kind: csv.kind, name: 'lamp.v1', uid }];
  const labels = { 'olm.owner': 'lamp.v1', 'olm.owner.namespace': 'shop', 'olm.owner.kind': 'ClusterServiceVersion' };
  const template = {
    metadata: { labels: { app: 'lamp' } },
    spec: { containers: [{ name: 'lamp', image: 'registry.example/lamp:1' }] },
  };
  at.put(
    objectOf('Deployment', 'lamp', 'shop', {
      metadata: { ownerReferences },
      spec: { selector: { matchLabels: { app: 'lamp' } }, template },
    }),
  );
  at.put(objectOf('ClusterRole', 'lamp-role', undefined, { metadata: { labels }, rules: [] }));
  at.put(
    objectOf('Service', 'lamp-service', 'shop', {
      metadata: { ownerReferences, labels: { 'olm.managed': 'true' } },
      spec: { ports: [{ port: 443 }] },
    }),
  );
  at.put(planOf({ status: { phase: 'Complete' } }));
  subscribe(at, 'lamp', {
    status: {
      installedCSV: 'lamp.v1',
      currentCSV: 'lamp.v1',
      state: 'AtLatestKnown',
      installPlanRef: { name: 'install-1' },
    },
  });
  return csv;
}

describe('csv-lifecycle.md §12: the component label', () => {
  it('marks the Subscription, its plan, its CSV and all that the CSV owns', async () => {
    installed();
    await pass();
    for (const [kind, name] of [
      ['Subscription', 'lamp'],
      ['InstallPlan', 'install-1'],
      ['ClusterServiceVersion', 'lamp.v1'],
      ['Deployment', 'lamp'],
      ['Service', 'lamp-service'],
    ] as const) {
      expect(isLabelled(kind, name, 'shop'), kind).toBe(true);
    }
    expect(isLabelled('ClusterRole', 'lamp-role')).toBe(true);
    await atRest();
  });

  it('marks the CRDs that the CSV owns, and not those that it only requires', async () => {
    for (const [plural, kind] of [
      ['lamps', 'Lamp'],
      ['wicks', 'Wick'],
    ] as const)
      at.put(crd(plural, 'example.com', kind));
    await settled();
    const api = (plural: string, kind: string) => ({ name: `${plural}.example.com`, version: 'v1', kind });
    installed({ customresourcedefinitions: { owned: [api('lamps', 'Lamp')], required: [api('wicks', 'Wick')] } });
    await pass();
    expect(isLabelled('CustomResourceDefinition', 'lamps.example.com')).toBe(true);
    expect(isLabelled('CustomResourceDefinition', 'wicks.example.com')).toBe(false);
    expect(refs()).toContain('CustomResourceDefinition lamps.example.com');
  });

  it('leaves older plans, and what belongs to others', async () => {
    installed();
    at.put(
      planOf({
        name: 'install-0',
        generation: 0,
        metadata: { labels: { [LABEL]: '' } },
        status: { phase: 'Complete' },
      }),
    );
    at.put(objectOf('ServiceAccount', 'of-a-user', 'shop'));
    await pass();
    expect(isLabelled('InstallPlan', 'install-0', 'shop')).toBe(false);
    expect(isLabelled('ServiceAccount', 'of-a-user', 'shop')).toBe(false);
  });

  it('two Subscriptions of one package do not take the label off each other’s plan', async () => {
    installed();
    at.put(planOf({ name: 'install-2', generation: 2, status: { phase: 'Complete' } }));
    subscribe(at, 'second', { spec: { name: 'lamp' }, status: { installPlanRef: { name: 'install-2' } } });
    await pass();
    expect([isLabelled('InstallPlan', 'install-1', 'shop'), isLabelled('InstallPlan', 'install-2', 'shop')]).toEqual([
      true,
      true,
    ]);
    await atRest();
  });

  it('marks what the CSV gets later', async () => {
    installed();
    await pass();
    const ownerReferences = at.get(LAMP_DEPLOYMENT)?.metadata.ownerReferences ?? [];
    at.put(objectOf('Role', 'late', 'shop', { metadata: { ownerReferences }, rules: [] }));
    await pass();
    expect(isLabelled('Role', 'late', 'shop')).toBe(true);
    expect(refs()).toContain('Role late');
  });
});

describe('csv-lifecycle.md §12: the Operator object', () => {
  const ALL = [
    'ClusterRole lamp-role',
    'ClusterServiceVersion lamp.v1',
    'Deployment lamp',
    'InstallPlan install-1',
    'Service lamp-service',
    'Subscription lamp',
  ];

  it('names all parts, sorted, with the phase of the CSV as a condition', async () => {
    installed();
    await pass();
    expect(refs()).toEqual(ALL);
    const [csv] = (at.status(OPERATOR) as Refs).components.refs.filter(({ kind }) => kind === 'ClusterServiceVersion');
    expect(csv).toMatchObject({
      namespace: 'shop',
      conditions: [{ type: 'Succeeded', status: 'True', reason: 'InstallSucceeded' }],
    });
    expect(at.status(OPERATOR)).toMatchObject({
      components: { labelSelector: { matchExpressions: [{ key: LABEL, operator: 'Exists' }] } },
    });
  });

  it('has its status once the CSV has settled, or does not move on', async () => {
    installed();
    const status = inPhase('Installing', 'InstallWaiting');
    at.cluster.edit(
      refTo('ClusterServiceVersion', 'lamp.v1', 'shop'),
      (csv) => Object.assign(csv, { status }),
      'status',
    );
    await pass();
    expect(await pass()).toMatchObject({ result: 'waits', againAfterMs: 2_000 });
    expect(refs()).toBeUndefined();
    await at.clock.advance(2_000);
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(refs()).toEqual(ALL);
  });

  it('does not name what will be collected with a CSV that is gone', async () => {
    installed();
    const owner = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', name: 'lamp.v0' };
    const metadata = { labels: { [LABEL]: '' }, ownerReferences: [{ ...owner, uid: 'uid-of-v0' }] };
    at.put(objectOf('Role', 'old', 'shop', { metadata, rules: [] }));
    await pass(at.laggingReads());
    expect(refs()).toEqual(ALL);
  });

  it('is there before anything is installed, for the Subscription alone', async () => {
    subscribe(at);
    await pass();
    expect(refs()).toEqual(['Subscription lamp']);
    await atRest();
  });

  it.each([
    ['deleted', () => at.cluster.delete(OPERATOR)],
    ['emptied', () => void at.cluster.edit(OPERATOR, (live) => Object.assign(live, { status: {} }), 'status')],
  ])('comes back when it was %s', async (_, spoil) => {
    installed();
    await pass();
    spoil();
    await pass();
    expect(refs()).toEqual(ALL);
    await atRest();
  });

  it('names rights that came with a copy into another namespace', async () => {
    installed();
    at.put(objectOf('Namespace', 'hall'));
    at.put(objectOf('Role', 'copied', 'hall', { metadata: { labels: { [LABEL]: '' } }, rules: [] }));
    await pass();
    expect(refs()).toContain('Role copied');
  });

  it('keeps the parts of what is installed when its Subscription is deleted', async () => {
    installed();
    await pass();
    at.cluster.delete(subscription());
    await pass();
    expect(refs()).toEqual(ALL.filter((ref) => ref !== 'Subscription lamp'));
    await atRest();
  });

  it('is made for labelled parts whose Subscription went before there was one', async () => {
    installed();
    await pass();
    at.cluster.delete(subscription());
    at.cluster.delete(OPERATOR);
    await pass();
    expect(refs()).toContain('Deployment lamp');
    await atRest();
  });

  it('names nothing more once all is gone, and those of other namespaces are left alone', async () => {
    installed();
    at.put(
      objectOf('Operator', 'lamp.mill', undefined, {
        spec: {},
        status: { components: { labelSelector: {}, refs: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gear' }] } },
      }),
    );
    const mill = at.get(refTo('Operator', 'lamp.mill'));
    await pass();
    for (const ref of [
      subscription(),
      refTo('ClusterServiceVersion', 'lamp.v1', 'shop'),
      refTo('InstallPlan', 'install-1', 'shop'),
      refTo('ClusterRole', 'lamp-role'),
    ])
      at.cluster.delete(ref);
    await settled();
    await pass();
    expect(refs()).toEqual([]);
    expect(at.get(refTo('Operator', 'lamp.mill'))).toEqual(mill);
    await atRest();
  });
});

describe('what goes wrong on the way', () => {
  it('a part that was deleted since it was read needs no label: the others get theirs', async () => {
    installed();
    const reads = at.laggingReads();
    at.cluster.delete(LAMP_DEPLOYMENT);
    expect(await pass(reads)).toMatchObject({ result: 'done' });
    expect(isLabelled('Service', 'lamp-service', 'shop')).toBe(true);
  });

  it('so does one that is deleted between a live read and the write', async () => {
    installed();
    at.cluster.lossOf = ({ verb, resource }) => {
      if (verb === 'patch' && resource === 'deployments') at.cluster.delete(LAMP_DEPLOYMENT);
      return undefined;
    };
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(isLabelled('Service', 'lamp-service', 'shop')).toBe(true);
    expect(refs()).not.toContain('Deployment lamp');
  });

  it('a conflict at the Operator (409) is resolved in the same pass', async () => {
    installed();
    at.cluster.failNext({ verb: 'update', resource: 'operators', subresource: 'status' }, 409, 'Conflict');
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(refs()).toContain('Deployment lamp');
  });

  it('a label that a webhook denies ends the pass as refused; the next one puts it', async () => {
    installed();
    at.cluster.failNext({ verb: 'patch', resource: 'deployments' }, 400, 'BadRequest', 'denied');
    expect(await pass()).toMatchObject({ result: 'refused', error: { said: 'denied' } });
    await pass();
    expect(isLabelled('Deployment', 'lamp', 'shop')).toBe(true);
  });

  it('a copy of a CSV is no part of this namespace’s operator', async () => {
    const metadata = { labels: { 'olm.copiedFrom': 'home', 'operators.coreos.com/lamp.home': '' } };
    at.put(lampCsv('shop', 'lamp.v1', { metadata, status: { ...SUCCEEDED, reason: 'Copied' } }));
    await pass();
    expect(at.names('Operator')).toEqual([]);
    expect(at.writes()).toEqual([]);
  });
});
