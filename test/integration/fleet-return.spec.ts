import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { hopHash } from '#core/rollout/review/hop-hash';
import { type ActionPlace, carryOutAction } from '#lifecycle/fleet/console/carry-out-action';
import { movesOf, subscriptionsIn } from '#lifecycle/rollouts/orders/classic/classic-subject';
import { approvePlan } from '../../apps/cli/src/commands/objects/approve-plan.js';
import type { ApplierBench } from './applier-support/applier-bench.js';
import { FleetBench } from './applier-support/fleet-bench.js';
import { type MadeCrdVersion, madeCrd, madeDeployment, offer } from './applier-support/made-operator.js';

const NAMESPACE = 'lamps';
const GROUP = 'lamp.example.com';
const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const OLD = 'lamp.v1.0.0';
const BAD = 'lamp.v1.1.0';
const operator = {
  package: 'lamp',
  namespace: NAMESPACE,
  catalog: { name: 'samples', namespace: 'olm' },
  strategyRef: { name: 's' },
  adopt: true,
};
const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } };
const lampOf = (version: string) => ({
  ...{ apiVersion: `${GROUP}/${version}`, kind: 'Lamp' },
  ...{ metadata: { name: 'one', namespace: NAMESPACE }, spec: {} },
});

type Offered = Readonly<{ version: string; replaces?: string; crd: readonly MadeCrdVersion[] }>;

/** Offers these versions, each with a Deployment of its own. */
async function publish(bench: ApplierBench, versions: readonly Offered[]): Promise<void> {
  const made = versions.map(({ crd, ...one }) => ({
    ...one,
    objects: [madeCrd({ kind: 'Lamp', group: GROUP }, crd)],
    deployments: [madeDeployment('lamp', 'lamp')],
  }));
  await offer(bench, 'lamp', made);
}

const FIRST: Offered = { version: '1.0.0', crd: [{ name: 'v1', storage: true }] };
const WIDER = [{ name: 'v1', storage: true }, { name: 'v2' }];

describe('an operator that is taken back by the fleet', () => {
  let fleet: FleetBench;
  beforeAll(async () => {
    fleet = await FleetBench.start({ 'lab-1': { tier: 'lab' }, 'shop-1': { tier: 'shop' } }, NAMESPACE);
    for (const bench of fleet.benches) {
      bench.namespace(NAMESPACE);
      await publish(bench, [FIRST]);
      bench.subscribe(NAMESPACE, 'lamp');
      await bench.installed(NAMESPACE, OLD);
      bench.cluster.edit({ apiVersion: V1ALPHA1, kind: 'Subscription', name: 'lamp', namespace: NAMESPACE }, (live) => {
        (live as unknown as { spec: { installPlanApproval: string } }).spec.installPlanApproval = 'Manual';
      });
      bench.cluster.create(lampOf('v1'));
    }
    const gate = {
      name: 'lit',
      times: 1,
      interval: '1s',
      prometheus: { url: 'https://prom.example/', query: 'up', max: 0 },
    };
    await fleet.apply('FleetStrategy', 's', {
      onFailure: 'RollBackAll',
      waves: [{ ...lab, progressDeadline: '10m', gates: [{ ...gate, timeout: '10s' }] }],
    });
    await fleet.apply('FleetOperator', 'lamp', operator);
    await fleet.pass();
  });
  afterAll(() => fleet.stop());

  const installed = () => fleet.benches.map((bench) => bench.describe(NAMESPACE));
  const subscription = (name: string) => fleet.bench(name).subscriptions(NAMESPACE)[0];

  it('stops in the first wave, is gone there, and the definition and its objects stay', async () => {
    for (const bench of fleet.benches) {
      await publish(bench, [FIRST, { version: '1.1.0', replaces: '1.0.0', crd: WIDER }]);
    }
    await fleet.until(() => fleet.report('lab-1')?.['state'] === 'Ready', 'the bad version in the lab');
    expect(installed()).toEqual([`${BAD} Succeeded`, `${OLD} Succeeded`]);
    // The check of the wave answers nothing: it runs out of time.
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'RolledBack', 'the return');
    expect(installed()).toEqual([`${OLD} Succeeded`, `${OLD} Succeeded`]);
    const { cluster } = fleet.bench('lab-1');
    expect(cluster.get({ ...lampOf('v1'), name: 'one', namespace: NAMESPACE })).toBeDefined();
    const crd = cluster.get({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      name: `lamps.${GROUP}`,
    });
    expect(crd).toMatchObject({ spec: { versions: [{ name: 'v1' }, { name: 'v2' }] } });
    const memo = { apiVersion: 'v1', kind: 'ConfigMap', name: 'fleet-return-lamp', namespace: NAMESPACE };
    expect(cluster.get(memo), 'nothing of the return is left').toBeUndefined();
    const { annotations = {} } = subscription('lab-1')?.metadata ?? {};
    expect(JSON.parse(annotations['fleet.flotilla.dev/result'] ?? '')).toMatchObject({
      bundle: BAD,
      result: 'RolledBack',
    });
    expect(JSON.parse(annotations['fleet.flotilla.dev/denied'] ?? '')).toMatchObject([
      { bundle: BAD, scope: 'Operator' },
    ]);
    const denied = () => (fleet.status('FleetOperator', 'lamp') as { denied?: object[] }).denied ?? [];
    await fleet.until(() => denied().length === 1, 'the denial');
    const since = expect.stringMatching(/^2\d{3}-\d\d-\d\dT/);
    expect(denied()).toMatchObject([{ bundle: BAD, rollout: expect.stringContaining('/lamp-1'), since }]);
    expect(subscription('lab-1')?.spec).toMatchObject({ startingCSV: OLD, installPlanApproval: 'Manual' });
  });

  it('is not offered again', async () => {
    for (let pass = 0; pass < 5; pass++) await fleet.pass();
    expect(fleet.rollout('lamp-2')).toEqual({});
    expect(installed()).toEqual([`${OLD} Succeeded`, `${OLD} Succeeded`]);
  });

  it('is not let in by an approval of its plan that still stands, in the console or by the command', async () => {
    const { client, cluster } = fleet.bench('lab-1');
    const api = { apiVersion: V1ALPHA1, kind: 'InstallPlan' };
    const stands = () =>
      cluster
        .list({ ...api, namespace: NAMESPACE })
        .map((one) => InstallPlan.parse(one))
        .find(
          ({ spec, status }) => spec.clusterServiceVersionNames.includes(BAD) && status?.phase === 'RequiresApproval',
        );
    await fleet.until(() => stands() !== undefined, 'a plan of the version that was taken back');
    const plan = stands();
    if (plan === undefined) throw new RangeError('no plan');
    const name = plan.metadata.name ?? '';
    const planHash = hopHash(plan, movesOf(plan, await subscriptionsIn(client, NAMESPACE)), 'olm');
    const place: ActionPlace = {
      ...{ client, globalCatalogNamespace: 'olm', now: () => new Date(), signal: new AbortController().signal },
      ...{ note: () => undefined, touch: async () => undefined, ordered: async () => [] },
      ...{ orderedExtensions: async () => [], decide: () => ({ allowed: true, by: [] }) },
    };
    const target = { cluster: 'lab-1', namespace: NAMESPACE, name };
    const id = '7f9c3c0e-3f3f-4c44-8b8e-3e4b2f1d2c11';
    const action = {
      v: 1,
      id,
      verb: 'approve',
      targets: [target],
      planHash,
      by: 'jane',
      at: '2026-11-26T10:00:00Z',
    } as const;
    const message = expect.stringContaining('decided by rollouts of FleetOperator');
    expect(await carryOutAction(place, { ...action, targets: [target] }, target)).toEqual({
      outcome: 'refused',
      message,
    });
    const asked = { kind: 'Subscription', name: 'lamp', namespace: NAMESPACE } as const;
    const how = { dryRun: false, access: '-C east' };
    expect(await approvePlan(client, asked, how)).toMatchObject({ result: 'refused', because: message });
    expect(stands()?.spec.approved).toBe(false);
  });
});
