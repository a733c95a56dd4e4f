import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { silentLog } from '#platform/telemetry/log.port';
import { ClassicCluster, GLOBAL, objectOf, refTo } from '../classic-cluster.fixture.js';
import { csvStage } from '../csvs/csv.stage.js';
import { inPhase, lampCsv, SUCCEEDED } from '../csvs/csvs.fixture.js';
import { planOf } from '../install-plans/install-plans.fixture.js';
import { subscriptionStage } from './subscription.stage.js';
import { shelf, subscribe, subscription } from './subscriptions.fixture.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
  shelf(at);
});
afterEach(() => at.stop());

const pass = (reads?: ReturnType<ClassicCluster['laggingReads']>) =>
  at.pass('shop', [subscriptionStage], reads === undefined ? {} : { reads });
const status = (name = 'lamp') => at.status(subscription(name));
const HEALTHY = 'CatalogSourcesUnhealthy=False AllCatalogSourcesHealthy: all available catalogsources are healthy';
const PENDING = { currentCSV: 'lamp.v1', state: 'UpgradePending', installPlanRef: { name: 'install-1' } };
/** Conditions beside that of the catalogs. */
const conditions = (name = 'lamp') =>
  at.conditions(subscription(name)).filter((condition) => !condition.startsWith('CatalogSourcesUnhealthy'));
async function atRest(): Promise<void> {
  at.writes();
  expect(await pass()).toEqual({ rounds: 1, result: 'done' });
  expect(at.writes()).toEqual([]);
}

describe('subscriptions.md §3: states', () => {
  it.each([
    { from: {}, csv: false, state: undefined, because: 'no plan was made yet' },
    { from: PENDING, csv: true, state: 'AtLatestKnown', because: 'the CSV exists' },
    { from: PENDING, csv: false, state: 'UpgradePending', because: 'the CSV does not exist yet' },
    {
      from: { ...PENDING, state: 'AtLatestKnown', installedCSV: 'lamp.v1' },
      csv: false,
      state: 'UpgradePending',
      because: 'the CSV was deleted',
    },
  ])('$from.state becomes $state: $because', async ({ from, csv, state }) => {
    at.put(planOf({ status: { phase: 'Complete' } }));
    if (csv) at.put(lampCsv('shop', 'lamp.v1', { status: SUCCEEDED }));
    subscribe(at, 'lamp', { status: from });
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(status()['state']).toBe(state);
    expect(status()['installedCSV']).toBe(csv ? 'lamp.v1' : (from as { installedCSV?: string }).installedCSV);
    await atRest();
  });

  it('a Failed CSV is installed, too', async () => {
    at.put(planOf({ status: { phase: 'Complete' } }));
    at.put(lampCsv('shop', 'lamp.v1', { status: { ...SUCCEEDED, phase: 'Failed' } }));
    subscribe(at, 'lamp', { status: PENDING });
    await pass();
    expect(status()['state']).toBe('AtLatestKnown');
  });

  it.each([
    { upgradeStrategy: 'Default', state: 'UpgradePending' },
    { upgradeStrategy: 'TechPreviewUnsafeFailForward', state: 'UpgradeFailed' },
  ])('a failed plan under $upgradeStrategy: $state', async ({ upgradeStrategy, state }) => {
    at.cluster.edit(refTo('OperatorGroup', 'shop-group', 'shop'), ({ spec }) =>
      Object.assign(spec as object, { upgradeStrategy }),
    );
    at.put(planOf({ status: { phase: 'Failed' } }));
    subscribe(at, 'lamp', { status: PENDING });
    await pass();
    expect(status()['state']).toBe(state);
  });
});

describe('subscriptions.md §2.4: a plan that a Subscription does not refer to yet', () => {
  it('a Subscription that a plan made refers to it, with its startingCSV', async () => {
    at.put(planOf({ status: { phase: 'Complete' } }));
    subscribe(at, 'lamp', {
      metadata: { annotations: { 'olm.generated-by': 'install-1' } },
      spec: { startingCSV: 'lamp.v1' },
    });
    at.put(lampCsv('shop', 'lamp.v1', { status: SUCCEEDED }));
    await pass();
    expect(status()).toMatchObject({
      installPlanRef: { kind: 'InstallPlan', name: 'install-1', namespace: 'shop' },
      currentCSV: 'lamp.v1',
      installedCSV: 'lamp.v1',
      state: 'AtLatestKnown',
    });
    await atRest();
  });

  it('a pass that ended after it made the plan is finished: the plan names the Subscriptions that it moves', async () => {
    const { metadata } = subscribe(at);
    const owner = {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'Subscription',
      name: 'lamp',
      uid: metadata.uid ?? '',
    };
    const annotations = { 'flotilla.dev/moves': JSON.stringify({ lamp: 'lamp.v1' }) };
    const made = planOf({ generation: 3, metadata: { annotations, ownerReferences: [owner] } }) as InstallPlan;
    at.put({
      ...made,
      status: {
        ...made.status,
        plan: [
          {
            resolving: 'lamp.v1',
            status: 'Unknown',
            resource: {
              sourceName: '',
              sourceNamespace: '',
              group: '',
              version: 'v1',
              kind: 'ConfigMap',
              name: 'x',
              manifest: '{}',
            },
          },
        ],
      },
    });
    await pass();
    expect(status()).toMatchObject({
      currentCSV: 'lamp.v1',
      state: 'UpgradePending',
      installPlanGeneration: 3,
      installPlanRef: { name: 'install-1' },
    });
  });
});

describe('subscriptions.md §4: conditions on the plan', () => {
  const installed = (reason: string, message: string) => ({
    conditions: [
      {
        type: 'Installed',
        status: 'False',
        reason,
        message,
        lastUpdateTime: '2026-01-01T00:00:00Z',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  });
  it.each([
    { plan: { phase: '' }, says: ['InstallPlanPending=True InstallPlanNotYetReconciled'] },
    { plan: { phase: 'RequiresApproval' }, says: ['InstallPlanPending=True RequiresApproval'] },
    {
      plan: { phase: 'Installing', ...installed('InstallCheckFailed', 'no group') },
      says: ['InstallPlanPending=True Installing: no group'],
    },
    {
      plan: { phase: 'Failed', ...installed('InstallComponentFailed', 'denied') },
      says: ['InstallPlanFailed=True InstallComponentFailed: denied'],
    },
    { plan: { phase: 'Complete' }, says: [] },
  ])('$plan.phase: $says', async ({ plan, says }) => {
    at.put(planOf({ status: plan }));
    subscribe(at, 'lamp', { status: PENDING });
    await pass();
    expect(conditions()).toEqual(says);
    await atRest();
  });

  it('only one of them at a time: the condition follows the plan', async () => {
    at.put(planOf({ status: { phase: 'Installing' } }));
    subscribe(at, 'lamp', { status: PENDING });
    await pass();
    at.cluster.edit(
      refTo('InstallPlan', 'install-1', 'shop'),
      (live) => Object.assign(live['status'] as object, { phase: 'Failed' }),
      'status',
    );
    await pass();
    expect(conditions()).toEqual(['InstallPlanFailed=True InstallPlanFailed']);
  });

  it('a pending plan that was deleted: its reference is cleared, so that the namespace is resolved again', async () => {
    subscribe(at, 'lamp', { status: PENDING });
    await pass();
    expect(conditions()).toEqual([]);
    for (const field of ['installPlanRef', 'currentCSV', 'state']) expect(status()).not.toHaveProperty(field);
    await atRest();
  });

  it('the plan of what is installed was deleted: InstallPlanMissing', async () => {
    at.put(lampCsv('shop', 'lamp.v1', { status: SUCCEEDED }));
    subscribe(at, 'lamp', { status: { ...PENDING, state: 'AtLatestKnown', installedCSV: 'lamp.v1' } });
    await pass();
    expect(conditions()).toEqual(['InstallPlanMissing=True ReferencedInstallPlanNotFound']);
    expect(status()).toMatchObject({ currentCSV: 'lamp.v1', state: 'AtLatestKnown' });
  });
});

describe('subscriptions.md §4: CatalogSourcesUnhealthy', () => {
  const said = () =>
    at.conditions(subscription()).filter((condition) => condition.startsWith('CatalogSourcesUnhealthy'));

  it('all healthy, with the list of the catalogs that the namespace sees', async () => {
    at.put(
      objectOf('CatalogSource', 'own', 'shop', {
        spec: { sourceType: 'grpc' },
        status: { connectionState: { lastObservedState: 'READY' } },
      }),
    );
    at.namespace('mill');
    at.put(objectOf('CatalogSource', 'theirs', 'mill', { spec: { sourceType: 'grpc' } }));
    subscribe(at);
    await pass();
    expect(said()).toEqual([HEALTHY]);
    const health = status()['catalogHealth'] as {
      catalogSourceRef: { namespace: string; name: string };
      healthy: boolean;
    }[];
    expect(
      health.map(({ catalogSourceRef: { namespace, name }, healthy }) => `${namespace}/${name} ${healthy}`),
    ).toEqual([`${GLOBAL}/shelf true`, 'shop/own true']);
    await atRest();
  });

  it.each([
    { what: 'absent', spec: { source: 'none' }, message: `targeted catalogsource ${GLOBAL}/none missing` },
    { what: 'unhealthy', spec: { source: 'broken' }, message: `targeted catalogsource ${GLOBAL}/broken unhealthy` },
  ])('the targeted source is $what', async ({ spec, message }) => {
    at.put(
      objectOf('CatalogSource', 'broken', GLOBAL, {
        spec: { sourceType: 'grpc' },
        status: { connectionState: { lastObservedState: 'TRANSIENT_FAILURE' } },
      }),
    );
    subscribe(at, 'lamp', { spec });
    await pass();
    expect(said()).toEqual([`CatalogSourcesUnhealthy=True UnhealthyCatalogSourceFound: ${message}`]);
  });

  it('a catalog that recovers', async () => {
    at.cluster.edit(
      refTo('CatalogSource', 'shelf', GLOBAL),
      (live) => Object.assign(live, { status: { connectionState: { lastObservedState: 'CONNECTING' } } }),
      'status',
    );
    subscribe(at);
    await pass();
    expect(said()).toEqual([expect.stringContaining('CatalogSourcesUnhealthy=True')]);
    at.cluster.edit(
      refTo('CatalogSource', 'shelf', GLOBAL),
      (live) => Object.assign(live, { status: { connectionState: { lastObservedState: 'READY' } } }),
      'status',
    );
    await pass();
    expect(said()).toEqual([HEALTHY]);
  });
});

describe('what goes wrong on the way', () => {
  beforeEach(() => {
    subscribe(at);
    subscribe(at, 'wick');
  });
  const match = { verb: 'update', resource: 'subscriptions', subresource: 'status', name: 'lamp' } as const;

  it('a conflict (409) is decided anew, and nothing that another client wrote is lost', async () => {
    const reads = at.laggingReads();
    at.cluster.edit(
      subscription(),
      (live) => Object.assign(live, { status: { currentCSV: 'theirs', lastUpdated: '2026-01-01T00:00:00Z' } }),
      'status',
    );
    expect(await pass(reads)).toMatchObject({ result: 'done' });
    expect(status()['currentCSV']).toBe('theirs');
    expect(at.conditions(subscription())).toEqual([HEALTHY]);
  });

  it('a Subscription that is gone in between is passed over', async () => {
    const reads = at.laggingReads();
    at.cluster.delete(subscription());
    expect(await pass(reads)).toMatchObject({ result: 'done' });
    expect(at.conditions(subscription('wick'))).toEqual([HEALTHY]);
  });

  it('Forbidden: the pass ends as refused, and the next one writes', async () => {
    at.cluster.failNext(match, 403, 'Forbidden', 'not yours');
    expect(await pass()).toMatchObject({ result: 'refused', error: { said: 'not yours' } });
    await pass();
    expect(at.conditions(subscription())).toEqual([HEALTHY]);
  });

  it('an API server that is away fails the pass', async () => {
    at.cutOff(true);
    expect(await pass()).toMatchObject({ result: 'failed', error: { status: 0 } });
  });
});

describe('a plan that was deleted while its CSV waits for what it brings', () => {
  const LOST = {
    currentCSV: 'lamp.v2',
    installedCSV: 'lamp.v2',
    state: 'AtLatestKnown',
    installPlanRef: { name: 'gone' },
  };
  const waiting = {
    ...inPhase('Pending', 'RequirementsNotMet'),
    requirementStatus: [
      { group: '', version: 'v1', kind: 'ServiceAccount', name: 'lamp', status: 'NotPresent', message: '' },
    ],
  };
  const stopped = (status: Readonly<Record<string, unknown>> = waiting) => {
    at.put(lampCsv('shop', 'lamp.v1', { status: inPhase('Replacing', 'BeingReplaced') }));
    const metadata = { finalizers: ['operators.coreos.com/csv-cleanup'] };
    at.put(lampCsv('shop', 'lamp.v2', { metadata, spec: { replaces: 'lamp.v1' }, status }));
    subscribe(at, 'lamp', { status: LOST });
  };
  const csvs = () => at.names('ClusterServiceVersion', 'shop');
  const whole = (reads?: ReturnType<ClassicCluster['laggingReads']>) =>
    at.pass('shop', [subscriptionStage, csvStage(silentLog)], reads === undefined ? {} : { reads });

  it('takes the upgrade back, with an Event, so that the namespace is resolved again', async () => {
    stopped();
    await whole();
    expect(csvs()).toEqual(['shop/lamp.v1']);
    expect(status()).toMatchObject({ currentCSV: 'lamp.v1', installedCSV: 'lamp.v1', state: 'AtLatestKnown' });
    expect([status()['installPlanRef'], conditions()]).toEqual([undefined, []]);
    expect(at.events('shop')).toContainEqual(expect.stringMatching(/^Warning InstallPlanMissing Subscription\/lamp: /));
  });

  it('a pass that was interrupted at any of its writes is finished by the next one', async () => {
    for (const killed of ['clusterserviceversions delete', 'subscriptions update', 'clusterserviceversions patch']) {
      for (const loss of ['request', 'answer'] as const) {
        await at.stop();
        at = await ClassicCluster.start();
        at.namespace('shop');
        shelf(at);
        stopped();
        at.cluster.lossOf = ({ resource, verb }) => (`${resource} ${verb}` === killed ? loss : undefined);
        await whole();
        at.cluster.lossOf = () => undefined;
        await whole();
        expect([killed, loss, csvs()]).toEqual([killed, loss, ['shop/lamp.v1']]);
        expect(status()).toMatchObject({ currentCSV: 'lamp.v1', installedCSV: 'lamp.v1' });
      }
    }
  });

  it('is decided on what the API server has: the plan may be there, and the CSV installed', async () => {
    stopped();
    const reads = at.laggingReads();
    at.put(planOf({ name: 'gone', csvs: ['lamp.v2'], status: { phase: 'Installing' } }));
    await whole(reads);
    expect(csvs()).toEqual(['shop/lamp.v1', 'shop/lamp.v2']);
  });

  it('leaves a CSV that was installed once, and says that its plan is missing', async () => {
    stopped({ ...waiting, conditions: [inPhase('Succeeded', 'InstallSucceeded')] });
    await whole();
    expect(csvs()).toEqual(['shop/lamp.v1', 'shop/lamp.v2']);
    expect(conditions()).toEqual(['InstallPlanMissing=True ReferencedInstallPlanNotFound']);
  });
});
