import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { offer } from './applier-support/made-operator.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const version = (minor: number) => ({
  version: `1.${minor}.0`,
  objects: [],
  ...(minor === 0 ? {} : { replaces: `1.${minor - 1}.0` }),
});

describe('two operators of the fleet in one namespace', () => {
  let fleet: FleetBench;
  beforeAll(async () => {
    fleet = await FleetBench.start({ 'lab-1': {} }, LAMPS);
    await publish('lamp', 0);
    await publish('horn', 0);
    await fleet.apply('FleetStrategy', 's', {
      approval: { rules: [{ changes: ['Minor'], action: 'Manual' }], default: 'Auto' },
    });
    for (const name of ['lamp', 'horn']) await fleet.apply('FleetOperator', name, { ...LAMP_OPERATOR, package: name });
    await fleet.until(async () => installed('lamp') === 'lamp.v1.0.0' && installed('horn') === 'horn.v1.0.0', 'both');
  });
  afterAll(() => fleet.stop());

  /** The catalog has the versions up to this one. */
  const publish = (name: string, minor: number) =>
    offer(
      fleet.bench('lab-1'),
      name,
      Array.from({ length: minor + 1 }, (_, at) => version(at)),
    );
  const installed = (name: string) => subscription(name)?.status?.installedCSV;
  const subscription = (name: string) =>
    fleet
      .bench('lab-1')
      .subscriptions(LAMPS)
      .find(({ spec }) => spec.name === name);
  /** Returns the approval of each plan that leads to a bundle of this operator beyond the first. */
  const plansOf = (name: string) =>
    fleet
      .bench('lab-1')
      .cluster.list({ apiVersion: V1ALPHA1, kind: 'InstallPlan', namespace: LAMPS })
      .map(({ spec }) => spec as unknown as Readonly<{ approved: boolean; clusterServiceVersionNames: string[] }>)
      .filter((spec) => spec.clusterServiceVersionNames.some((csv) => csv.startsWith(name)))
      .map((spec) => `${spec.clusterServiceVersionNames.join()} ${spec.approved ? 'approved' : 'waits'}`);

  it('move one at a time, each with an approval of its own, while the catalog changes three times', async () => {
    await publish('horn', 1);
    await fleet.until(() => fleet.rollout('horn-2').classes?.length === 1, 'a plan of the horn');
    for (const minor of [1, 2, 3]) {
      await publish('lamp', minor);
      const rollout = `lamp-${minor + 1}`;
      await fleet.until(() => fleet.rollout(rollout).classes?.length === 1, `a plan of ${rollout}`);
      const [one] = fleet.rollout(rollout).classes ?? [];
      expect(one?.changes, 'nothing else moves with it').toEqual(['Minor']);
      await fleet.apply('FleetDecision', `approve-${minor}`, {
        ...{ rollout, action: 'Approve', class: one?.hash, reason: 'CHG-1' },
        by: { user: 'anna', groups: [] },
      });
      await fleet.until(() => installed('lamp') === `lamp.v1.${minor}.0`, `the lamp ${minor}`);
      expect(installed('horn')).toBe('horn.v1.0.0');
      expect(plansOf('horn').filter((plan) => plan.endsWith('waits'))).toEqual(['horn.v1.1.0 waits']);
    }
  });
});

describe('two operators of the fleet in a namespace whose group has no isolation', () => {
  let fleet: FleetBench;
  const endings: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of endings) await end();
  });

  const publish = (name: string, minor: number) =>
    offer(
      fleet.bench('lab-1'),
      name,
      Array.from({ length: minor + 1 }, (_, at) => version(at)),
    );
  const installed = () =>
    fleet
      .bench('lab-1')
      .subscriptions(LAMPS)
      .map(({ status }) => status?.installedCSV)
      .sort();
  const changesOf = (rollout: string) => fleet.rollout(rollout).classes?.map((one) => one.changes.join()) ?? [];
  const approve = (rollout: string) =>
    fleet.apply('FleetDecision', `approve-${rollout}`, {
      ...{ rollout, action: 'Approve', class: fleet.rollout(rollout).classes?.[0]?.hash, reason: 'CHG-1' },
      by: { user: 'anna', groups: [] },
    });
  async function started(horn: object = {}, newest = 1): Promise<void> {
    fleet = await FleetBench.start({ 'lab-1': {} }, LAMPS);
    endings.push(() => fleet.stop());
    for (const name of ['lamp', 'horn']) await publish(name, 0);
    const { cluster } = fleet.bench('lab-1');
    cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: LAMPS } });
    cluster.create({
      ...{ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata: { name: 'own', namespace: LAMPS } },
      spec: { targetNamespaces: [LAMPS] },
    });
    const rules = [{ changes: ['Minor', 'NeighbourMove'], action: 'Manual' }];
    await fleet.apply('FleetStrategy', 's', { approval: { rules, default: 'Auto' } });
    const classic = { channel: 'stable', operatorGroup: { manage: 'Use' } };
    await fleet.apply('FleetOperator', 'lamp', { ...LAMP_OPERATOR, classic });
    await fleet.apply('FleetOperator', 'horn', { ...LAMP_OPERATOR, package: 'horn', classic, ...horn });
    await fleet.until(() => installed().join() === 'horn.v1.0.0,lamp.v1.0.0', 'both');
    for (const name of ['lamp', 'horn']) await publish(name, newest);
  }

  it('move together, once each of them has the plan approved', async () => {
    await started();
    await fleet.until(() => [...changesOf('lamp-2'), ...changesOf('horn-2')].length === 2, 'a plan of both');
    expect([changesOf('lamp-2'), changesOf('horn-2')]).toEqual([['Minor,NeighbourMove'], ['Minor,NeighbourMove']]);
    await approve('lamp-2');
    for (let pass = 0; pass < 8; pass++) await fleet.pass();
    expect(installed()).toEqual(['horn.v1.0.0', 'lamp.v1.0.0']);
    expect(fleet.rollout('lamp-2')).toMatchObject({ counts: { waiting: 1 }, reason: 'Planned' });
    await approve('horn-2');
    await fleet.until(() => installed().join() === 'horn.v1.1.0,lamp.v1.1.0', 'both anew');
    const phases = () => ['lamp-2', 'horn-2'].map((name) => fleet.rollout(name).phase).join();
    await fleet.until(() => phases() === 'Completed,Completed', 'the end of both');
  });

  it('move together over two hops, once each of them has the path approved', async () => {
    await started({}, 2);
    await fleet.until(() => [...changesOf('lamp-2'), ...changesOf('horn-2')].length === 2, 'a path of both');
    await approve('lamp-2');
    for (let pass = 0; pass < 8; pass++) await fleet.pass();
    expect(installed()).toEqual(['horn.v1.0.0', 'lamp.v1.0.0']);
    await approve('horn-2');
    const phases = () => ['lamp-2', 'horn-2'].map((name) => fleet.rollout(name).phase).join();
    await fleet.until(() => phases() === 'Completed,Completed', 'the end of both');
    expect(installed()).toEqual(['horn.v1.2.0', 'lamp.v1.2.0']);
    for (let pass = 0; pass < 6; pass++) await fleet.pass();
    expect([fleet.rollout('lamp-3'), fleet.rollout('horn-3')]).toEqual([{}, {}]);
  });

  it('do not move where one of them must not have what would come', async () => {
    await started({ versions: { deny: ['1.1.0'] } });
    await fleet.until(() => changesOf('lamp-2').length === 1, 'a plan');
    await approve('lamp-2');
    for (let pass = 0; pass < 8; pass++) await fleet.pass();
    expect(installed()).toEqual(['horn.v1.0.0', 'lamp.v1.0.0']);
  });
});
