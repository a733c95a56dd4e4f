import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClassicCluster, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { crd, lampCsv } from '../csvs/csvs.fixture.js';
import { PLAN, PlanBench, type PlanParts, phaseOf, planOf, step, stepsOf } from './install-plans.fixture.js';
import { oddMonitor, SERVICE_MONITORS } from './service-monitors.fixture.js';

let at: ClassicCluster;
let bench: PlanBench;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
  bench = new PlanBench();
});
afterEach(() => at.stop());

const pass = (parts: PlanParts = {}) => at.pass('shop', [bench.stage(parts)]);
const settings = objectOf('ConfigMap', 'settings', 'shop', { data: { glow: 'warm' } });
const GROUP = refTo('OperatorGroup', 'shop-group', 'shop');
async function atRest(): Promise<void> {
  at.writes();
  expect(await pass()).toMatchObject({ rounds: 1 });
  expect(at.writes()).toEqual([]);
}

describe('install-plans.md §3: phases', () => {
  it('RequiresApproval: waits for a user, and is executed when it is approved', async () => {
    at.put(
      planOf({ approval: 'Manual', approved: false, steps: [step(settings)], status: { phase: 'RequiresApproval' } }),
    );
    expect(await pass()).toEqual({ rounds: 1, result: 'done' });
    expect([phaseOf(at), at.names('ConfigMap', 'shop')]).toEqual(['RequiresApproval', []]);
    at.cluster.edit(PLAN, ({ spec }) => Object.assign(spec as object, { approved: true }));
    at.put(lampCsv('shop'));
    expect(await pass()).toEqual({ rounds: expect.any(Number), result: 'done' });
    expect(phaseOf(at)).toBe('Complete');
    expect(at.conditions(PLAN)).toEqual(['Installed=True ']);
    expect(bench.logged).toEqual(['install-1 RequiresApproval→Installing', 'install-1 Installing→Complete']);
    await atRest();
  });

  it.each(['Complete', 'Planning', ''])('%s: nothing is done', async (phase) => {
    at.put(planOf({ steps: [step(settings)], status: { phase } }));
    expect(await pass()).toEqual({ rounds: 1, result: 'done' });
    expect(at.writes()).toEqual([]);
  });

  it('a plan that a user wrote without steps says that it does nothing, once', async () => {
    at.put(planOf({ steps: [], status: { phase: '' } }));
    await pass();
    expect(at.conditions(PLAN)).toEqual([
      expect.stringMatching(/^Installed=False PlanUnknown: this InstallPlan has no steps/),
    ]);
    await atRest();
  });

  it('a plan of a Subscription whose status is not written yet is left alone', async () => {
    const owner = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription', name: 'lamp', uid: 'u' };
    const { status: _none, ...plan } = planOf({ metadata: { ownerReferences: [owner] } });
    at.cluster.create(plan as typeof plan & { apiVersion: string; kind: string; metadata: object });
    await pass();
    expect(at.writes()).toEqual([]);
  });
});

describe('install-plans.md §3: the group of the namespace', () => {
  const groups = {
    none: () => at.cluster.delete(GROUP),
    two: () =>
      void at.put(
        objectOf('OperatorGroup', 'second', 'shop', {
          spec: {},
          status: { namespaces: [''], lastUpdated: '2026-01-01T00:00:00Z' },
        }),
      ),
    'without account': () =>
      void at.cluster.edit(GROUP, ({ spec }) => Object.assign(spec as object, { serviceAccountName: 'clerk' })),
  };
  it.each([
    ['none', 'no operator group found that is managing this namespace'],
    ['two', 'more than one operator group(s) are managing this namespace count=2'],
    ['without account', 'please make sure the service account exists. sa=clerk operatorgroup=shop/shop-group'],
  ] as const)('%s: the plan says so, keeps its phase and is checked again without an event', async (which, message) => {
    groups[which]();
    at.put(planOf({ steps: [step(settings)] }));
    expect(await pass()).toMatchObject({
      result: 'waits',
      waitsFor: 'an OperatorGroup in order',
      againAfterMs: 15_000,
    });
    expect([phaseOf(at), at.conditions(PLAN)]).toEqual([
      'Installing',
      [`Installed=False InstallCheckFailed: ${message}`],
    ]);
    await atRest();
  });

  it('in order again: the condition is taken back, and the plan is executed', async () => {
    groups.two();
    at.put(lampCsv('shop'));
    at.put(planOf({ steps: [step(settings)] }));
    await pass();
    at.cluster.delete(refTo('OperatorGroup', 'second', 'shop'));
    await pass();
    expect([phaseOf(at), at.conditions(PLAN)]).toEqual(['Complete', ['Installed=True ']]);
  });

  it('its service account is noted in the status before anything is executed', async () => {
    at.put(objectOf('ServiceAccount', 'clerk', 'shop'));
    groups['without account']();
    at.cluster.edit(
      GROUP,
      ({ status }) =>
        Object.assign(status as object, {
          serviceAccountRef: { kind: 'ServiceAccount', name: 'clerk', namespace: 'shop' },
        }),
      'status',
    );
    at.put(lampCsv('shop'));
    at.put(planOf({ steps: [step(settings)] }));
    await pass();
    expect(at.status(PLAN)['attenuatedServiceAccountRef']).toMatchObject({
      kind: 'ServiceAccount',
      name: 'clerk',
      namespace: 'shop',
    });
  });
});

describe('install-plans.md §5: execution', () => {
  it('steps are carried out in order, objects carry olm.managed and belong to their CSV', async () => {
    const csv = lampCsv('shop');
    at.put(planOf({ steps: [step(csv), step(settings)] }));
    expect(await pass()).toEqual({ rounds: expect.any(Number), result: 'done' });
    expect(stepsOf(at)).toEqual(['ClusterServiceVersion lamp.v1: Created', 'ConfigMap settings: Created']);
    expect(at.get(refTo('ConfigMap', 'settings', 'shop'))).toMatchObject({
      data: { glow: 'warm' },
      metadata: {
        labels: { 'olm.managed': 'true' },
        ownerReferences: [{ name: 'lamp.v1', uid: at.csv('shop', 'lamp.v1')?.metadata.uid }],
      },
    });
    await atRest();
  });

  it('a CRD is waited for until it is established', async () => {
    at.put(planOf({ steps: [step(crd('lamps', 'example.com', 'Lamp'))] }));
    expect(await pass()).toMatchObject({ result: 'waits', waitsFor: 'steps of an InstallPlan', againAfterMs: 500 });
    expect([phaseOf(at), stepsOf(at)]).toEqual([
      'Installing',
      ['CustomResourceDefinition lamps.example.com: WaitingForApi'],
    ]);
    await settled();
    await pass();
    expect([phaseOf(at), stepsOf(at)]).toEqual(['Complete', ['CustomResourceDefinition lamps.example.com: Created']]);
  });

  it('what is there already is left, merged or overwritten, as its kind asks for', async () => {
    at.put(lampCsv('shop', 'lamp.v1', { spec: { displayName: 'Of a user' } }));
    at.put(objectOf('ConfigMap', 'settings', 'shop', { data: { glow: 'cold', shade: 'green' } }));
    at.put(objectOf('ServiceAccount', 'lamp', 'shop', { metadata: { annotations: { kept: 'yes' } } }));
    at.put(
      planOf({ steps: [step(lampCsv('shop')), step(settings), step(objectOf('ServiceAccount', 'lamp', 'shop'))] }),
    );
    await pass();
    expect(stepsOf(at).map((text) => text.replace(/^.*: /, ''))).toEqual(['Present', 'Present', 'Present']);
    expect(at.csv('shop', 'lamp.v1')?.spec.displayName).toBe('Of a user');
    expect(at.get(refTo('ConfigMap', 'settings', 'shop'))?.['data']).toMatchObject({ glow: 'warm' });
    expect(at.get(refTo('ServiceAccount', 'lamp', 'shop'))?.metadata.annotations).toMatchObject({ kept: 'yes' });
  });

  it('a kind that OLM does not install fails the plan before anything is applied', async () => {
    at.put(planOf({ steps: [step(lampCsv('shop')), step(objectOf('Pod', 'lamp', 'shop', { spec: {} }))] }));
    await pass();
    expect(phaseOf(at)).toMatch(/^Failed: /);
    expect(stepsOf(at)).toEqual(['ClusterServiceVersion lamp.v1: Unknown', 'Pod lamp: UnsupportedResource']);
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual([]);
    expect(bench.logged).toEqual([expect.stringMatching(/^InstallPlan failed: install-1: /)]);
  });

  it('warnings of the API server become an Event at the step, and are counted', async () => {
    at.put(SERVICE_MONITORS);
    await settled();
    at.put(lampCsv('shop'));
    at.put(planOf({ steps: [step(oddMonitor('shop'))] }));
    await pass();
    expect(bench.warned).toEqual([`${at.client.cluster} 1`]);
    expect(at.events('shop')).toEqual([
      'Warning AppliedWithWarnings InstallPlan/install-1: 1 warning(s) generated during installation of operator "lamp.v1" (ServiceMonitor "gear"): unknown field "spec.oddity"',
    ]);
    expect(at.cluster.list({ ...refTo('Event', ''), namespace: 'shop' })).toMatchObject([
      { involvedObject: { fieldPath: 'status.plan[0]' } },
    ]);
  });

  it('two plans: one that cannot go on does not hold up the other', async () => {
    at.put(planOf({ steps: [step(settings)] }));
    at.put(lampCsv('shop', 'wick.v1'));
    const other = { ...step(objectOf('ConfigMap', 'wicks', 'shop')), resolving: 'wick.v1' };
    at.put(planOf({ name: 'install-2', generation: 2, csvs: ['wick.v1'], steps: [other] }));
    await pass();
    expect(phaseOf(at)).toMatch(/^Installing: retrying execution due to error: /);
    expect(at.status(refTo('InstallPlan', 'install-2', 'shop'))['phase']).toBe('Complete');
  });
});

describe('install-plans.md §6: errors and the retry time', () => {
  const FAIL = { verb: 'create', resource: 'configmaps', namespace: 'shop' } as const;
  beforeEach(() => {
    at.put(lampCsv('shop'));
    at.put(planOf({ steps: [step(settings)] }));
  });
  const refuse = (times: number, status = 400, reason = 'BadRequest', message = 'denied by a webhook') => {
    for (let count = 0; count < times; count += 1) at.cluster.failNext(FAIL, status, reason, message);
  };

  it('an error is retried every five seconds for a minute, and then fails the plan', async () => {
    refuse(10);
    expect(await pass()).toMatchObject({ result: 'waits', againAfterMs: 5_000 });
    expect(phaseOf(at)).toBe(
      'Installing: retrying execution due to error: error updating configmap: settings: denied by a webhook',
    );
    await at.clock.advance(59_000);
    await pass();
    expect(phaseOf(at)).toMatch(/^Installing/);
    await at.clock.advance(2_000);
    await pass();
    expect(phaseOf(at)).toBe('Failed: error updating configmap: settings: denied by a webhook');
    expect(at.conditions(PLAN)).toEqual([
      'Installed=False InstallComponentFailed: error updating configmap: settings: denied by a webhook',
    ]);
  });

  it('an error that is over leaves no trace in the message', async () => {
    refuse(2);
    await pass();
    await pass();
    await pass();
    expect([phaseOf(at), stepsOf(at)]).toEqual(['Complete', ['ConfigMap settings: Created']]);
  });

  it('Forbidden never fails the plan', async () => {
    refuse(20, 403, 'Forbidden', 'not yours');
    await pass();
    await at.clock.advance(3_600_000);
    expect(await pass()).toMatchObject({ againAfterMs: 5_000 });
    expect(phaseOf(at)).toMatch(
      /^Installing: retrying execution due to error: error updating configmap: settings: not yours/,
    );
  });

  it('without an answer there is no verdict: the pass fails, the plan stays as it is', async () => {
    at.cluster.lossOf = ({ resource, verb }) =>
      resource === 'configmaps' && verb === 'create' ? 'request' : undefined;
    expect(await pass()).toMatchObject({ result: 'failed', error: { status: 0 } });
    expect(phaseOf(at)).toBe('Installing');
    at.cluster.lossOf = () => undefined;
    await pass();
    expect(phaseOf(at)).toBe('Complete');
  });

  it('an answer that got lost: the object is found, and the plan is complete', async () => {
    at.cluster.lossOf = ({ resource, verb }) => (resource === 'configmaps' && verb === 'create' ? 'answer' : undefined);
    await pass();
    at.cluster.lossOf = () => undefined;
    await pass();
    expect([phaseOf(at), stepsOf(at)]).toEqual(['Complete', ['ConfigMap settings: Present']]);
  });

  it('a conflict at the status of the plan (409) does not execute a step twice', async () => {
    at.cluster.failNext({ verb: 'update', resource: 'installplans', subresource: 'status' }, 409, 'Conflict');
    await pass();
    expect([phaseOf(at), at.names('ConfigMap', 'shop')]).toEqual(['Complete', ['shop/settings']]);
  });
});
