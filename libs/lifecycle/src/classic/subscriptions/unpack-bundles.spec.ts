import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needsPackage, sampleEntry, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import { ClassicCluster, GLOBAL, objectOf, refTo } from '../classic-cluster.fixture.js';
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
const IMAGE = 'registry.test/lamp:1.0.0';
const pass = (options: Parameters<ClassicCluster['pass']>[2] = {}) => at.pass('shop', [bench.stage()], options);
const pulls = () => bench.plans.registry.pulled.length;
const annotate = (annotations: Record<string, string>) =>
  at.cluster.edit(refTo('OperatorGroup', 'shop-group', 'shop'), ({ metadata }) =>
    Object.assign(metadata, { annotations }),
  );
async function desired(): Promise<void> {
  subscribe(at);
  await bench.solve(at, [LAMP]);
}

describe('subscriptions.md §2.7: bundles that are being fetched', () => {
  it('are a condition on the Subscription until they are there, and then make the plan', async () => {
    bench.bundle('lamp', '1.0.0');
    const release = bench.plans.registry.hold(IMAGE);
    await desired();
    expect(await pass({ waitsMs: 0 })).toMatchObject({
      result: 'waits',
      waitsFor: 'fetching lamp.v1.0.0',
      againAfterMs: 30_000,
    });
    expect(at.conditions(subscription())).toEqual(['BundleUnpacking=True UnpackingInProgress: fetching lamp.v1.0.0']);
    at.writes();
    await pass({ waitsMs: 0 });
    expect(at.writes(), 'said once').toEqual([]);
    release();
    await pass();
    expect(at.conditions(subscription())).toEqual([PLAN_UNDER_WAY]);
    expect(plansIn(at)).toHaveLength(1);
    expect(pulls()).toBe(1);
  });

  it('that take no longer than the pass may wait are no condition', async () => {
    bench.bundle('lamp', '1.0.0');
    await desired();
    await pass();
    expect(at.writes().filter((write) => write.startsWith('update subscriptions'))).toHaveLength(1);
  });
});

describe('subscriptions.md §2.7: bundles that cannot be fetched', () => {
  const FAILED = `BundleUnpackFailed=True BundleUnpackFailed: Bundle unpacking failed - image ${IMAGE} is not there`;

  it('are a condition and a Warning on the Subscription, and are tried again after a pause', async () => {
    await desired();
    expect(await pass()).toMatchObject({
      result: 'waits',
      waitsFor: 'the next try to unpack bundles',
      againAfterMs: 15_000,
    });
    expect(at.conditions(subscription())).toEqual([FAILED]);
    expect(at.events('shop')).toEqual([
      `Warning BundleUnpackFailed Subscription/lamp: Bundle unpacking failed - image ${IMAGE} is not there`,
    ]);
    expect(pulls()).toBe(1);
    await at.clock.advance(14_000);
    expect(await pass()).toMatchObject({ againAfterMs: 1_000 });
    expect(pulls(), 'not before the pause is over').toBe(1);
    bench.bundle('lamp', '1.0.0');
    await at.clock.advance(1_000);
    await pass();
    expect(plansIn(at)).toHaveLength(1);
    expect(at.conditions(subscription())).toEqual([PLAN_UNDER_WAY]);
  });

  it('the annotation of the group sets the pause', async () => {
    annotate({ 'operatorframework.io/bundle-unpack-min-retry-interval': '5m' });
    await desired();
    expect(await pass()).toMatchObject({ againAfterMs: 300_000 });
    await at.clock.advance(299_000);
    await pass();
    expect(pulls()).toBe(1);
  });

  it('the same failure again is no news: no other Event, no other write', async () => {
    await desired();
    await pass();
    await at.clock.advance(15_000);
    await pass();
    const [event, ...more] = at.cluster.list({ ...refTo('Event', ''), namespace: 'shop' });
    expect([event?.['count'], more]).toEqual([1, []]);
  });

  it('a pull secret that is missing is named', async () => {
    at.cluster.edit(refTo('CatalogSource', 'shelf', GLOBAL), ({ spec }) =>
      Object.assign(spec as object, { secrets: ['login'] }),
    );
    bench.bundle('lamp', '1.0.0');
    await desired();
    await pass();
    expect(at.conditions(subscription())).toEqual([
      expect.stringMatching(
        /^BundleUnpackFailed=True BundleUnpackFailed: Bundle unpacking failed - pull secret olm\/login, named by CatalogSource olm\/shelf, does not exist/,
      ),
    ]);
    expect(pulls()).toBe(0);
  });

  it('an API server that is away is no fault of the bundle: the pass fails, the Subscription does not say so', async () => {
    at.cluster.edit(refTo('CatalogSource', 'shelf', GLOBAL), ({ spec }) =>
      Object.assign(spec as object, { secrets: ['login'] }),
    );
    await desired();
    at.cluster.lossOf = ({ resource }) => (resource === 'secrets' ? 'request' : undefined);
    expect(await pass()).toMatchObject({ result: 'failed', error: { code: 'KubeApiError', status: 0 } });
    expect(at.conditions(subscription())).toEqual([]);
  });

  it('a bundle that cannot be turned into steps: ErrorPreventedUnpacking says what is wrong with it', async () => {
    bench.bundle('lamp', '1.0.0', [], { installModes: 'all' });
    await desired();
    await pass();
    const invalid =
      /^BundleUnpackFailed=True ErrorPreventedUnpacking: bundle CSV lamp.v1.0.0 \(image registry.test\/lamp@sha256:\w{64}\) is invalid: spec.installModes is a text/;
    expect(at.conditions(subscription())).toEqual([expect.stringMatching(invalid)]);
    expect(plansIn(at)).toEqual([]);
  });

  it('with isolation the others go on: the one that waits says so alone', async () => {
    annotate({ 'flotilla.dev/resolution-isolation': 'true' });
    bench.bundle('wick', '1.0.0');
    subscribe(at);
    subscribe(at, 'wick');
    for (let turn = 0; turn < 3; turn += 1) {
      await bench.solve(at, [LAMP, WICK]);
      await pass();
    }
    expect(plansIn(at)).toMatchObject([{ spec: { clusterServiceVersionNames: ['wick.v1.0.0'] } }]);
    expect([at.conditions(subscription()), at.conditions(subscription('wick'))]).toEqual([[FAILED], [PLAN_UNDER_WAY]]);
  });
});

describe('a bundle that cannot be used stops only those that need it (decision 0494)', () => {
  const GUM = (inline: string) => samplePackage('gum', sampleEntry('gum', '1.0.0', [], { source: { inline } }));
  const inline = (objects: unknown) => bench.plans.content.put(new TextEncoder().encode(JSON.stringify(objects)));
  const BAD = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'gum', labels: 'none' } };
  const REFUSED =
    'BundleUnpackFailed=True BundleUnpackFailed: Bundle unpacking failed - bundle gum.v1.0.0 (in its catalog): object 1 (ConfigMap gum): metadata.labels is a text; a map is expected';

  it('its neighbour is installed, and its Subscription says which object and which field', async () => {
    bench.bundle('wick', '1.0.0');
    const digest = await inline([BAD]);
    subscribe(at, 'gum');
    subscribe(at, 'wick');
    for (let turn = 0; turn < 3; turn += 1) {
      await bench.solve(at, [GUM(digest), WICK]);
      expect(await pass()).not.toMatchObject({ result: 'failed' });
    }
    expect(plansIn(at)).toMatchObject([
      { spec: { clusterServiceVersionNames: ['wick.v1.0.0'] }, metadata: { ownerReferences: [{ name: 'wick' }] } },
    ]);
    expect(at.conditions(subscription('gum'))).toEqual([REFUSED]);
    expect(at.conditions(subscription('wick'))).toEqual([PLAN_UNDER_WAY]);
    expect(at.events('shop')).toEqual([
      `Warning BundleUnpackFailed Subscription/gum: ${REFUSED.slice('BundleUnpackFailed=True BundleUnpackFailed: '.length)}`,
    ]);
  });

  it('what requires it waits with it, and says why', async () => {
    bench.bundle('lamp', '1.0.0');
    bench.bundle('wick', '1.0.0');
    const digest = await inline([BAD]);
    const lamp = samplePackage('lamp', sampleEntry('lamp', '1.0.0', [needsPackage('gum', '>=1.0.0')]));
    subscribe(at);
    subscribe(at, 'wick');
    await bench.solve(at, [GUM(digest), lamp, WICK]);
    await pass();
    expect(plansIn(at)).toMatchObject([{ spec: { clusterServiceVersionNames: ['wick.v1.0.0'] } }]);
    expect(at.conditions(subscription())).toEqual([REFUSED]);
  });

  it('a CSV that cannot be turned into steps stops its own Subscription alone', async () => {
    bench.bundle('lamp', '1.0.0', [], { installModes: 'all' });
    bench.bundle('wick', '1.0.0');
    subscribe(at);
    subscribe(at, 'wick');
    await bench.solve(at, [LAMP, WICK]);
    await pass();
    expect(plansIn(at)).toMatchObject([{ spec: { clusterServiceVersionNames: ['wick.v1.0.0'] } }]);
    expect(at.conditions(subscription())).toEqual([
      expect.stringMatching(
        /^BundleUnpackFailed=True ErrorPreventedUnpacking: bundle CSV lamp\.v1\.0\.0 \(image [^ ]+\) is invalid: spec\.installModes is a text/,
      ),
    ]);
  });

  it('a file that cannot be read is left out, and the Subscription says which until another version comes', async () => {
    bench.bundle('lamp', '1.0.0', [['no', 'object'] as never]);
    await desired();
    await pass();
    expect(at.conditions(subscription())).toEqual([
      'BundleIncomplete=True FilesLeftOut: lamp.v1.0.0: manifests/1.json: skipped: not a Kubernetes object: it is a list; a map is expected',
      PLAN_UNDER_WAY,
    ]);
  });

  it('a bundle of which no plan can be carried out gets a plan of its own, after its neighbours', async () => {
    bench.bundle('lamp', '1.0.0', [objectOf('ConfigMap', 'Not_a_name', undefined, {})]);
    bench.bundle('wick', '1.0.0');
    subscribe(at);
    subscribe(at, 'wick');
    for (let turn = 0; turn < 3; turn += 1) {
      await bench.solve(at, [LAMP, WICK]);
      await pass();
    }
    expect(plansIn(at).map(({ spec }) => spec.clusterServiceVersionNames)).toEqual([['wick.v1.0.0'], ['lamp.v1.0.0']]);
    expect(at.conditions(subscription())).toEqual([PLAN_UNDER_WAY]);
    expect(at.conditions(subscription('wick'))).toEqual([PLAN_UNDER_WAY]);
  });

  it('once the catalog has a good one, it is installed', async () => {
    subscribe(at, 'gum');
    await bench.solve(at, [GUM(await inline([BAD]))]);
    await pass();
    bench.bundle('gum', '1.0.0');
    await at.clock.advance(15_000);
    await bench.solve(at, [samplePackage('gum', sampleEntry('gum', '1.0.0'))]);
    await pass();
    expect(plansIn(at)).toMatchObject([{ spec: { clusterServiceVersionNames: ['gum.v1.0.0'] } }]);
    expect(at.conditions(subscription('gum'))).toEqual([PLAN_UNDER_WAY]);
  });
});

describe('subscriptions.md §2.8: an InstallPlan that cannot be made', () => {
  beforeEach(async () => {
    bench.bundle('lamp', '1.0.0');
    await desired();
  });

  it('because it is refused: EnsureInstallPlanFailed with the words of the API server, and a pause', async () => {
    at.cluster.failNext({ verb: 'create', resource: 'installplans' }, 403, 'Forbidden', 'too many plans');
    expect(await pass()).toMatchObject({ result: 'waits', againAfterMs: 15_000 });
    expect(at.conditions(subscription())).toEqual([
      'BundleUnpackFailed=True EnsureInstallPlanFailed: error ensuring InstallPlan: too many plans',
    ]);
    expect(at.events('shop')).toEqual([
      'Warning BundleUnpackFailed Subscription/lamp: error ensuring InstallPlan: too many plans',
    ]);
    await at.clock.advance(15_000);
    await pass();
    expect([plansIn(at).length, at.conditions(subscription())]).toEqual([1, [PLAN_UNDER_WAY]]);
  });

  it('because a webhook does not answer: named as what it is, and tried again', async () => {
    const why =
      'Internal error occurred: failed calling webhook "plans.example": failed to call webhook: Post "https://plans.policy.svc:443/v": service "plans" not found';
    at.put({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'plans' },
      webhooks: [
        {
          ...{ name: 'plans.example', sideEffects: 'None', admissionReviewVersions: ['v1'] },
          clientConfig: { service: { namespace: 'policy', name: 'plans' } },
        },
      ],
    });
    at.cluster.failNext({ verb: 'create', resource: 'installplans' }, 500, 'InternalError', why);
    expect(await pass()).toMatchObject({ result: 'waits', againAfterMs: 15_000 });
    expect(at.conditions(subscription())).toEqual([
      `BundleUnpackFailed=True EnsureInstallPlanFailed: error ensuring InstallPlan: ${why}; webhook "plans.example" is of MutatingWebhookConfiguration plans (service policy/plans, failurePolicy Fail)`,
    ]);
    await at.clock.advance(15_000);
    await pass();
    expect(plansIn(at)).toHaveLength(1);
  });

  it('because the API server has a problem: no condition, the queue tries again', async () => {
    at.cluster.failNext({ verb: 'create', resource: 'installplans' }, 500, 'InternalError', 'etcd');
    expect(await pass()).toMatchObject({ result: 'refused', error: { reason: 'InternalError' } });
    expect(at.conditions(subscription())).toEqual([]);
  });

  it.each(['request', 'answer'] as const)(
    'the %s of its creation got lost: one plan is there in the end',
    async (loss) => {
      at.cluster.lossOf = ({ verb, resource }) => (verb === 'create' && resource === 'installplans' ? loss : undefined);
      expect(await pass()).toMatchObject({ result: 'failed' });
      at.cluster.lossOf = () => undefined;
      await pass();
      expect(plansIn(at)).toMatchObject([{ status: { phase: 'Installing' } }]);
      expect(at.status(subscription())).toMatchObject({ state: 'UpgradePending' });
    },
  );

  it('a pass that ended before the status of the plan was written is finished by the next one', async () => {
    at.cluster.lossOf = ({ resource, subresource }) =>
      resource === 'installplans' && subresource === 'status' ? 'request' : undefined;
    await pass();
    expect(plansIn(at).map(({ status }) => status)).toEqual([undefined]);
    at.cluster.lossOf = () => undefined;
    await pass();
    expect(plansIn(at)).toMatchObject([{ status: { phase: 'Installing' } }]);
    const [plan] = plansIn(at);
    expect(plan && bench.plans.marks.isOwn(at.client.cluster, plan)).toBe(true);
  });

  it('a tag that moved between the two: the plan that is finished has the mark of what it installs', async () => {
    at.cluster.lossOf = ({ resource, subresource }) =>
      resource === 'installplans' && subresource === 'status' ? 'request' : undefined;
    await pass();
    at.cluster.lossOf = () => undefined;
    bench.bundle('lamp', '1.0.0', [objectOf('ConfigMap', 'more', undefined, { data: {} })]);
    await pass();
    const [plan] = plansIn(at);
    expect(JSON.stringify(plan?.status?.plan)).toContain('"more"');
    expect(plan && bench.plans.marks.isOwn(at.client.cluster, plan)).toBe(true);
  });

  it('a plan that the cache does not know yet is used, and not made twice', async () => {
    await pass();
    const [made] = plansIn(at);
    at.cluster.edit(subscription(), (live) => delete live['status'], 'status');
    const reads = at.laggingReads();
    reads.cache?.noteDeleted(refTo('InstallPlan', made?.metadata.name ?? '', 'shop'));
    await pass({ reads });
    expect(plansIn(at).map(({ metadata }) => metadata.uid)).toEqual([made?.metadata.uid]);
    expect(at.status(subscription())).toMatchObject({
      state: 'UpgradePending',
      installPlanRef: { uid: made?.metadata.uid },
    });
    expect(at.conditions(subscription())).toEqual([PLAN_UNDER_WAY]);
  });

  it('a Subscription that was deleted since the cache saw it: no plan is made', async () => {
    const reads = at.laggingReads();
    at.cluster.delete(subscription());
    await pass({ reads });
    expect(plansIn(at)).toEqual([]);
  });

  it('a Subscription that was changed since the cache saw it: no plan is made for the old channel', async () => {
    const reads = at.laggingReads();
    at.cluster.edit(subscription(), ({ spec }) => Object.assign(spec as object, { channel: 'beta' }));
    await pass({ reads });
    expect(plansIn(at)).toEqual([]);
    expect(bench.jobs).toEqual(['shop after 1000 ms']);
  });

  it('a conflict at the Subscription (409) does not make a second plan', async () => {
    at.cluster.failNext({ verb: 'update', resource: 'subscriptions', subresource: 'status' }, 409, 'Conflict');
    await pass();
    await pass();
    expect(plansIn(at)).toHaveLength(1);
  });
});
