import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleEntry, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import { ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';
import { lampCsv, SUCCEEDED } from '../csvs/csvs.fixture.js';
import { PLAN_UNDER_WAY, plansIn, ResolutionBench, shelf, subscribe, subscription } from './subscriptions.fixture.js';

let at: ClassicCluster;
let bench: ResolutionBench;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
  shelf(at);
  bench = new ResolutionBench();
});
afterEach(() => at.stop());

const LAMP = samplePackage('lamp', sampleEntry('lamp', '1.0.0'));
const WICK = samplePackage('wick', sampleEntry('wick', '1.0.0'));
const pass = (options: Parameters<ClassicCluster['pass']>[2] = {}) => at.pass('shop', [bench.stage()], options);
const GROUP = refTo('OperatorGroup', 'shop-group', 'shop');
const annotate = (annotations: Record<string, string>) =>
  at.cluster.edit(GROUP, ({ metadata }) => Object.assign(metadata, { annotations }));
async function atRest(): Promise<void> {
  at.writes();
  expect(await pass()).toMatchObject({ rounds: 1 });
  expect(at.writes()).toEqual([]);
}

describe('subscriptions.md §2.8: a resolution that succeeded', () => {
  it('makes an InstallPlan, which the Subscription refers to', async () => {
    bench.bundle('lamp', '1.0.0');
    const { metadata } = subscribe(at);
    await bench.solve(at, [LAMP]);
    expect(await pass()).toEqual({ rounds: 2, result: 'done' });
    const [plan] = plansIn(at);
    expect(plan).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^install-/),
        ownerReferences: [{ kind: 'Subscription', uid: metadata.uid }],
      },
      spec: { approval: 'Automatic', approved: true, generation: 1, clusterServiceVersionNames: ['lamp.v1.0.0'] },
      status: { phase: 'Installing', catalogSources: ['shelf'] },
    });
    expect(at.status(subscription())).toMatchObject({
      currentCSV: 'lamp.v1.0.0',
      state: 'UpgradePending',
      installPlanGeneration: 1,
      installPlanRef: { name: plan?.metadata.name, uid: plan?.metadata.uid },
    });
    await atRest();
  });

  it('is marked as a plan that the hub made', async () => {
    bench.bundle('lamp', '1.0.0');
    subscribe(at);
    await bench.solve(at, [LAMP]);
    await pass();
    const [plan] = plansIn(at);
    expect(plan && bench.plans.marks.isOwn(at.client.cluster, plan)).toBe(true);
  });

  it('one Manual Subscription makes the plan of the namespace Manual', async () => {
    for (const name of ['lamp', 'wick']) bench.bundle(name, '1.0.0');
    subscribe(at);
    subscribe(at, 'wick', { spec: { installPlanApproval: 'Manual' } });
    await bench.solve(at, [LAMP, WICK]);
    await pass();
    expect(plansIn(at)).toMatchObject([
      {
        spec: { approval: 'Manual', approved: false, clusterServiceVersionNames: ['lamp.v1.0.0', 'wick.v1.0.0'] },
        status: { phase: 'RequiresApproval' },
      },
    ]);
  });

  it('nothing is made where all that is resolved is installed', async () => {
    at.put(lampCsv('shop', 'lamp.v1.0.0', { status: SUCCEEDED }));
    subscribe(at, 'lamp', {
      status: { currentCSV: 'lamp.v1.0.0', installedCSV: 'lamp.v1.0.0', state: 'AtLatestKnown' },
    });
    await bench.solve(at, [LAMP]);
    await pass();
    expect([plansIn(at), at.writes()]).toEqual([[], []]);
  });

  it('§2.5: while every Subscription waits for its plan nothing is resolved', async () => {
    const status = { currentCSV: 'lamp.v1.0.0', state: 'UpgradePending', installPlanRef: { name: 'install-1' } };
    subscribe(at, 'lamp', { status });
    await bench.solve(at, [LAMP]);
    await pass();
    expect([at.writes(), bench.jobs]).toEqual([[], []]);
  });

  it('an upgrade that is under way is waited for', async () => {
    const { metadata } = at.put(lampCsv('shop', 'lamp.v2.0.0', { spec: { replaces: 'lamp.v1.0.0' } }));
    at.put(lampCsv('shop', 'lamp.v1.0.0', { status: SUCCEEDED }));
    subscribe(at, 'lamp', { status: { currentCSV: 'lamp.v2.0.0', state: 'AtLatestKnown' } });
    await at.clock.advance(Date.parse(metadata.creationTimestamp ?? '') + 60_000 - at.clock.now().getTime());
    await bench.solve(at, [LAMP]);
    expect(await pass()).toEqual({
      rounds: 1,
      result: 'waits',
      waitsFor: 'an upgrade that is under way',
      againAfterMs: 240_000,
    });
  });
});

describe('subscriptions.md §2.2 and §2.3: what stops a namespace', () => {
  const namespaceEvents = () => at.events('default');

  it('no Subscription: nothing', async () => {
    at.cluster.delete(GROUP);
    await pass();
    expect(at.writes()).toEqual([]);
  });

  it.each([
    {
      count: 0,
      advice: 'create an OperatorGroup; its targets are the namespaces that the operators watch',
      prepare: () => at.cluster.delete(GROUP),
    },
    {
      count: 2,
      advice: 'delete all but one of second, shop-group',
      prepare: () => void at.put(objectOf('OperatorGroup', 'second', 'shop')),
    },
  ])('$count groups: a Warning on the Namespace says what to do', async ({ count, advice, prepare }) => {
    prepare();
    subscribe(at);
    await pass();
    const found = `found ${count} operatorGroups, expected 1: nothing is resolved in this namespace; ${advice}`;
    expect(namespaceEvents()).toEqual([`Warning ResolutionFailed Namespace/shop: ${found}`]);
    expect([plansIn(at), at.conditions(subscription())]).toEqual([[], []]);
  });

  it('says nothing of a group that only its cache lacks', async () => {
    at.cluster.delete(GROUP);
    subscribe(at);
    const reads = at.laggingReads();
    at.put(objectOf('OperatorGroup', 'shop-group', 'shop'));
    await pass({ reads });
    expect(namespaceEvents()).toEqual([]);
  });

  it.each(['bundle-unpack-timeout', 'bundle-unpack-min-retry-interval'])(
    'annotation %s that is no duration',
    async (name) => {
      annotate({ [`operatorframework.io/${name}`]: 'soon' });
      bench.bundle('lamp', '1.0.0');
      subscribe(at);
      await bench.solve(at, [LAMP]);
      await pass();
      expect(namespaceEvents()).toEqual([
        expect.stringMatching(
          /^Warning ResolutionFailed Namespace\/shop: failed to parse unpack .*: nothing is resolved$/,
        ),
      ]);
      expect(plansIn(at)).toEqual([]);
    },
  );
});

describe('what the answer of the resolver is for', () => {
  beforeEach(() => void bench.bundle('lamp', '1.0.0'));

  it('a namespace that was not observed yet is, after a second', async () => {
    subscribe(at);
    expect(await pass()).toEqual({ rounds: 1, result: 'done' });
    expect([bench.jobs, at.writes()]).toEqual([['shop after 1000 ms'], []]);
  });

  it('an answer to another question is none: the namespace is observed again', async () => {
    subscribe(at);
    await bench.solve(at, [LAMP]);
    at.cluster.edit(subscription(), ({ spec }) => Object.assign(spec as object, { channel: 'beta' }));
    await pass();
    expect([plansIn(at), bench.jobs]).toEqual([[], ['shop after 1000 ms']]);
  });

  it('a problem without an answer is waited for', async () => {
    subscribe(at);
    await bench.observe(at, [LAMP]);
    await pass();
    expect([plansIn(at), bench.jobs]).toEqual([[], []]);
  });

  it('a poller with another namespace for global catalogs is reported', async () => {
    subscribe(at);
    await bench.observe(at, [LAMP]);
    await pass();
    expect(bench.agreed).toEqual([{ setting: 'FLOTILLA_GLOBAL_CATALOG_NAMESPACE', applier: 'olm', poller: 'olm' }]);
  });

  it('a forged answer is refused and forgotten, nothing is installed, and the namespace is observed again', async () => {
    bench.bundle('lamp', '6.6.6');
    subscribe(at);
    await bench.solve(at, [LAMP], (answer) => JSON.parse(JSON.stringify(answer).replaceAll('1.0.0', '6.6.6')));
    await pass();
    expect([plansIn(at), at.writes(), bench.jobs]).toEqual([[], [], ['shop after 30000 ms']]);
    expect(bench.refused).toEqual([expect.stringMatching(/^bare solution: /)]);
    await pass();
    expect(bench.refused, 'it is gone').toHaveLength(1);
  });

  it('a forged "no" is refused, too, and is not shown to users', async () => {
    subscribe(at);
    await bench.solve(
      at,
      [LAMP],
      () => ({ result: 'unsatisfiable', message: 'pay first', advice: 'to this account', core: [] }) as never,
    );
    await pass();
    expect(at.conditions(subscription()).join()).not.toContain('pay first');
    expect(at.events('default').join()).not.toContain('pay first');
  });
});

describe('subscriptions.md §2.6: a resolution that failed', () => {
  it('is a condition on all Subscriptions of the namespace and a Warning on it, with what to do', async () => {
    subscribe(at);
    subscribe(at, 'none');
    await bench.solve(at, [LAMP]);
    expect(await pass()).toMatchObject({ result: 'done' });
    const failed = /^ResolutionFailed=True ConstraintsNotSatisfiable: .*none/;
    for (const name of ['lamp', 'none'])
      expect(at.conditions(subscription(name))).toEqual([expect.stringMatching(failed)]);
    expect(at.events('default')).toEqual([
      expect.stringMatching(/^Warning ResolutionFailed Namespace\/shop: .*none.*\. .+/),
    ]);
    expect(bench.plans.logged).toHaveLength(1);
    await atRest();
  });

  it('is over: the condition goes, and the plan comes', async () => {
    bench.bundle('lamp', '1.0.0');
    subscribe(at);
    subscribe(at, 'none');
    await bench.solve(at, [LAMP]);
    await pass();
    at.cluster.delete(subscription('none'));
    await bench.solve(at, [LAMP]);
    await pass();
    expect(at.conditions(subscription())).toEqual([PLAN_UNDER_WAY]);
    expect(plansIn(at)).toHaveLength(1);
  });

  it('with isolation: the others are installed, and the one that is left out is named once', async () => {
    annotate({ 'flotilla.dev/resolution-isolation': 'true' });
    bench.bundle('lamp', '1.0.0');
    subscribe(at);
    subscribe(at, 'none');
    await bench.solve(at, [LAMP]);
    await pass();
    expect(plansIn(at)).toMatchObject([{ spec: { clusterServiceVersionNames: ['lamp.v1.0.0'] } }]);
    expect(at.conditions(subscription())).toEqual([PLAN_UNDER_WAY]);
    expect(at.conditions(subscription('none'))).toEqual([expect.stringMatching(/^ResolutionFailed=True /)]);
    await bench.solve(at, [LAMP]);
    await pass();
    const events = at.cluster.list({ ...refTo('Event', ''), namespace: 'default' });
    expect(events).toMatchObject([{ count: 1, message: expect.stringMatching(/^Subscription none is left out: /) }]);
  });

  it('with isolation: bundles that do not need each other get plans of their own', async () => {
    annotate({ 'flotilla.dev/resolution-isolation': 'true' });
    for (const name of ['lamp', 'wick']) bench.bundle(name, '1.0.0');
    subscribe(at);
    subscribe(at, 'wick', { spec: { installPlanApproval: 'Manual' } });
    for (let turn = 0; turn < 2; turn += 1) {
      await bench.solve(at, [LAMP, WICK]);
      await pass();
    }
    expect(plansIn(at).map(({ spec }) => [spec.clusterServiceVersionNames, spec.approval])).toEqual([
      [['lamp.v1.0.0'], 'Automatic'],
      [['wick.v1.0.0'], 'Manual'],
    ]);
  });
});
