import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';
import { inPhase, lampCsv, SUCCEEDED } from '../csvs/csvs.fixture.js';
import { PLAN, PlanBench, phaseOf, planOf, step, stepsOf } from './install-plans.fixture.js';

let at: ClassicCluster;
let bench: PlanBench;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
  bench = new PlanBench();
});
afterEach(() => at.stop());

const pass = (reads?: ReturnType<ClassicCluster['laggingReads']>) =>
  at.pass('shop', [bench.stage()], reads === undefined ? {} : { reads });
const settings = objectOf('ConfigMap', 'settings', 'shop', { data: { glow: 'warm' } });
const account = objectOf('ServiceAccount', 'lamp', 'shop');
const FAILED_AT = '2026-01-01T00:00:00Z';
const failure = {
  type: 'Installed',
  status: 'False',
  reason: 'InstallComponentFailed',
  message: 'no',
  lastUpdateTime: FAILED_AT,
  lastTransitionTime: FAILED_AT,
};
const FAILED = { phase: 'Failed', message: 'no', startTime: '2025-12-31T23:00:00Z', conditions: [failure] };
const failed = (more: Parameters<typeof planOf>[0] = {}) =>
  at.put(planOf({ steps: [step(lampCsv('shop')), step(settings)], ...more, status: { ...FAILED, ...more.status } }));
const asking = (value: string) => ({ metadata: { annotations: { 'flotilla.dev/retry': value } } });
const subscription = (status: Record<string, unknown> = {}) => {
  const ref = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'InstallPlan',
    name: 'install-1',
    namespace: 'shop',
  };
  return at.put(
    objectOf('Subscription', 'lamp', 'shop', {
      spec: { name: 'lamp', source: 'shelf', sourceNamespace: 'olm' },
      status: {
        installPlanRef: ref,
        currentCSV: 'lamp.v1',
        state: 'UpgradePending',
        lastUpdated: FAILED_AT,
        ...status,
      },
    }),
  );
};
const request = () => at.get(PLAN)?.metadata.annotations?.['flotilla.dev/retry'];

describe('decision 0001: annotation flotilla.dev/retry of a failed plan', () => {
  it('true: the steps that are left are executed, with an Event, and the request is taken away', async () => {
    failed(asking('true'));
    await pass();
    expect([phaseOf(at), request()]).toEqual(['Complete', undefined]);
    expect(at.events('shop')).toEqual([
      'Normal RetryRequested InstallPlan/install-1: the plan failed and is executed again: a user requested it',
    ]);
    expect(stepsOf(at)).toEqual(['ClusterServiceVersion lamp.v1: Created', 'ConfigMap settings: Created']);
  });

  it('true: the retry time begins anew', async () => {
    failed(asking('true'));
    at.cluster.failNext({ verb: 'create', resource: 'configmaps' }, 400, 'BadRequest', 'still no');
    at.cluster.failNext({ verb: 'create', resource: 'configmaps' }, 400, 'BadRequest', 'still no');
    await pass();
    expect(phaseOf(at)).toBe(
      'Installing: retrying execution due to error: error updating configmap: settings: still no',
    );
  });

  it.each([
    ['true', { phase: 'Complete' }],
    ['replan', { phase: 'RequiresApproval' }],
  ])('%s: a plan that did not fail loses the request and is processed as usual', async (value, status) => {
    at.put(planOf({ ...asking(value), steps: [step(settings)], status, approved: false }));
    if (value === 'true') at.put(lampCsv('shop'));
    await pass();
    expect([at.status(PLAN)['phase'], request()]).toEqual([status.phase, undefined]);
    expect(at.events('shop')).toEqual([]);
  });

  it('true: a complete plan makes again what is gone, and leaves the rest as it is', async () => {
    const steps = [step(lampCsv('shop'), 'Created'), step(settings, 'Created'), step(account, 'Created')];
    at.put(lampCsv('shop'));
    at.put(objectOf('ConfigMap', 'settings', 'shop', { data: { glow: 'cold' } }));
    at.put(planOf({ ...asking('true'), steps, status: { phase: 'Complete' } }));
    await pass();
    expect([phaseOf(at), request()]).toEqual(['Complete', undefined]);
    expect(stepsOf(at)).toEqual([
      'ClusterServiceVersion lamp.v1: Created',
      'ConfigMap settings: Created',
      'ServiceAccount lamp: Created',
    ]);
    expect(at.names('ServiceAccount', 'shop')).toContain('shop/lamp');
    expect(at.get(refTo('ConfigMap', 'settings', 'shop'))).toMatchObject({ data: { glow: 'cold' } });
    expect(at.events('shop')).toEqual([
      'Normal RetryRequested InstallPlan/install-1: the plan recreates ServiceAccount lamp: a user requested it',
    ]);
  });

  it('true: a complete plan of which all is there, or whose CSV is gone, stays complete', async () => {
    const steps = [step(lampCsv('shop'), 'Created'), step(account, 'Created')];
    at.put(planOf({ ...asking('true'), steps, status: { phase: 'Complete' } }));
    await pass();
    expect([phaseOf(at), request(), at.names('ServiceAccount', 'shop')]).toEqual(['Complete', undefined, []]);
    at.put(lampCsv('shop'));
    at.put(account);
    at.cluster.edit(PLAN, ({ metadata }) => Object.assign(metadata, asking('true').metadata));
    await pass();
    expect([phaseOf(at), request(), at.events('shop')]).toEqual(['Complete', undefined, []]);
  });

  it('another value is none', async () => {
    failed(asking('please'));
    await pass();
    expect([at.status(PLAN)['phase'], request()]).toEqual(['Failed', 'please']);
  });

  it('replan: what never ran is taken back, so that the namespace is resolved anew', async () => {
    at.put(lampCsv('shop', 'lamp.v0', { status: SUCCEEDED }));
    at.put(
      lampCsv('shop', 'lamp.v1', { spec: { replaces: 'lamp.v0' }, status: inPhase('Pending', 'RequirementsNotMet') }),
    );
    failed({
      ...asking('replan'),
      steps: [step(lampCsv('shop', 'lamp.v1', { spec: { replaces: 'lamp.v0' } })), step(settings)],
    });
    subscription({ installedCSV: 'lamp.v0' });
    await pass();
    expect(at.names('InstallPlan')).toEqual([]);
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual(['shop/lamp.v0']);
    const status = at.status(refTo('Subscription', 'lamp', 'shop'));
    expect(status).toMatchObject({ currentCSV: 'lamp.v0', installedCSV: 'lamp.v0', state: 'AtLatestKnown' });
    expect(status['installPlanRef']).toBeUndefined();
    expect(at.events('shop')).toEqual([
      expect.stringMatching(/^Normal RetryRequested InstallPlan\/install-1: the plan is recreated/),
    ]);
  });

  it('replan: refused with a Warning where the CSV runs, and nothing is deleted', async () => {
    at.put(lampCsv('shop', 'lamp.v1', { status: SUCCEEDED }));
    failed(asking('replan'));
    subscription();
    await pass();
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual(['shop/lamp.v1']);
    expect(request()).toBeUndefined();
    expect(at.events('shop')).toEqual([
      expect.stringMatching(/^Warning RetryRefused InstallPlan\/install-1: the plan is not recreated/),
    ]);
  });

  it('replan: decided on what the API server has, not on a cache that does not know the CSV runs', async () => {
    at.put(lampCsv('shop', 'lamp.v1', { status: inPhase('Pending', 'RequirementsNotMet') }));
    failed(asking('replan'));
    subscription();
    const reads = at.laggingReads();
    at.cluster.edit(
      refTo('ClusterServiceVersion', 'lamp.v1', 'shop'),
      (live) => Object.assign(live, { status: SUCCEEDED }),
      'status',
    );
    await pass(reads);
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual(['shop/lamp.v1']);
    expect(at.names('InstallPlan')).toEqual(['shop/install-1']);
    expect(at.status(refTo('Subscription', 'lamp', 'shop')), 'nothing is taken back').toMatchObject({
      installPlanRef: { name: 'install-1' },
      currentCSV: 'lamp.v1',
    });
    expect(at.events('shop')).toEqual([expect.stringMatching(/^Warning RetryRefused /)]);
  });

  it('replan: a pass that was interrupted after the Subscription is finished by the next one', async () => {
    at.put(lampCsv('shop', 'lamp.v1', { status: inPhase('Pending', 'RequirementsNotMet') }));
    failed(asking('replan'));
    subscription();
    at.cluster.lossOf = ({ verb }) => (verb === 'delete' ? 'request' : undefined);
    expect(await pass()).toMatchObject({ result: 'failed' });
    at.cluster.lossOf = () => undefined;
    await pass();
    expect([at.names('InstallPlan'), at.names('ClusterServiceVersion', 'shop')]).toEqual([[], []]);
  });
});

describe('decision 0001: the step that stopped a plan is checked again', () => {
  it('a plan that a Subscription refers to goes on once the API server takes its step', async () => {
    failed();
    subscription();
    expect(await pass()).toMatchObject({
      result: 'waits',
      waitsFor: 'the cause that stopped the InstallPlan to be fixed',
      againAfterMs: 5_000,
    });
    await at.clock.advance(6_000);
    await pass();
    expect([phaseOf(at), stepsOf(at)]).toEqual([
      'Complete',
      ['ClusterServiceVersion lamp.v1: Created', 'ConfigMap settings: Created'],
    ]);
  });

  it('while the step is refused nothing is stored, and the pauses grow up to five minutes', async () => {
    failed({ steps: [step(settings)] });
    at.put(lampCsv('shop'));
    subscription();
    at.cluster.failAll({ verb: 'create', resource: 'configmaps' }, refusal());
    const pauses: unknown[] = [];
    for (const seconds of [6, 100, 300, 3_600]) {
      await at.clock.advance(seconds * 1_000);
      pauses.push(((await pass()) as { againAfterMs?: number }).againAfterMs);
    }
    expect(pauses).toEqual([5_000, 26_500, 101_500, 300_000]);
    expect(phaseOf(at)).toBe('Failed: error updating configmap: settings: still no');
    const stored = at.writes().filter((write) => !write.startsWith('create configmaps'));
    expect(stored, 'its cause, once').toEqual([expect.stringMatching(/^update installplans.*status/)]);
    expect(at.names('ConfigMap', 'shop'), 'dry runs alone').not.toContain('shop/settings');
  });

  it.each([
    ['no Subscription refers to', () => undefined],
    ['a Subscription has left for another', () => void subscription({ installPlanRef: { name: 'install-2' } })],
  ])('a plan that %s is not checked', async (_, prepare) => {
    failed();
    prepare();
    await at.clock.advance(600_000);
    expect(await pass()).toEqual({ rounds: 1, result: 'done' });
    expect(at.writes()).toEqual([]);
  });

  it('a plan in a namespace without a group in order waits', async () => {
    failed();
    subscription();
    at.cluster.delete(refTo('OperatorGroup', 'shop-group', 'shop'));
    await at.clock.advance(6_000);
    await pass();
    expect(phaseOf(at)).toBe('Failed: no operator group found that is managing this namespace');
  });

  const silent = (webhook: string) =>
    `Internal error occurred: failed calling webhook "${webhook}": failed to call webhook: Post "https://guard.guards.svc:443/v": service "guard" not found`;
  const cause = () => [at.status(PLAN)['message'], at.status(PLAN)['conditions']];

  it('names what stops it now, in place of what stopped it first; its times stay', async () => {
    failed({ steps: [step(settings)] });
    at.put(lampCsv('shop'));
    subscription();
    at.put({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'guards' },
      webhooks: [
        {
          ...{ name: 'guard.example.com', failurePolicy: 'Fail', sideEffects: 'None', admissionReviewVersions: ['v1'] },
          clientConfig: { service: { namespace: 'guards', name: 'guard' } },
        },
      ],
    });
    const end = at.cluster.failAll(
      { verb: 'create', resource: 'configmaps' },
      new Refusal(500, 'InternalError', silent('guard.example.com')),
    );
    await at.clock.advance(6_000);
    await pass();
    const message = `error updating configmap: settings: ${silent('guard.example.com')}; webhook "guard.example.com" is of ValidatingWebhookConfiguration guards (service guards/guard, failurePolicy Fail)`;
    expect(cause()).toEqual([message, [{ ...failure, message }]]);
    end();
    at.cluster.failAll({ verb: 'create', resource: 'configmaps' }, refusal());
    await at.clock.advance(60_000);
    await pass();
    const now = 'error updating configmap: settings: still no';
    expect(cause()).toEqual([now, [{ ...failure, message: now }]]);
  });
});

const refusal = () => new Refusal(400, 'BadRequest', 'still no');
