import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { storedRows } from '#lifecycle/rollouts/assignments/stored-rollout';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { madeDeployment, offer } from './applier-support/made-operator.js';

const NAMES = ['lab-1', 'lab-2', 'lab-3'];
const made = (minor: number) => ({
  version: `1.${minor}.0`,
  objects: [],
  deployments: [madeDeployment('lamp', 'lamp')],
  ...(minor === 0 ? {} : { replaces: `1.${minor - 1}.0` }),
});

describe('a cluster that is cut off, and one that is another by now', () => {
  let fleet: FleetBench;
  beforeAll(async () => {
    fleet = await FleetBench.start(Object.fromEntries(NAMES.map((name) => [name, {}])), LAMPS);
    await publish(0);
    await fleet.apply('FleetStrategy', 's', { waves: [{ name: 'all', maxConcurrent: '100%', offlineGrace: '1m' }] });
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the first version');
  });
  afterAll(() => fleet.stop());

  /** The catalog has the versions up to this one. */
  async function publish(minor: number): Promise<void> {
    const versions = Array.from({ length: minor + 1 }, (_, at) => made(at));
    for (const bench of fleet.benches) await offer(bench, 'lamp', versions);
  }
  const installed = () => fleet.benches.map((bench) => bench.describe(LAMPS).replace(' Succeeded', ''));
  const row = (name: string, rollout: string) => {
    const found = fleet.hub.cluster.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
    const { phase, reason } = storedRows(found ?? { metadata: {} })[`platform/${rollout}`]?.row ?? {};
    return `${phase} ${reason}`;
  };
  const cutOff = async (name: string) => {
    fleet.away.add(name);
    await fleet.sight(name, { Reachable: 'False' });
  };
  const comeBack = async (name: string) => {
    fleet.away.delete(name);
    await fleet.sight(name, { Reachable: 'True' });
  };
  const approvedPlans = (name: string, bundle: string) =>
    fleet
      .bench(name)
      .cluster.list({ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace: LAMPS })
      .map(({ spec }) => spec as unknown as Readonly<{ approved: boolean; clusterServiceVersionNames: string[] }>)
      .filter((spec) => spec.approved && spec.clusterServiceVersionNames.includes(bundle)).length;

  it('before its turn or in it holds no other cluster up, and gets the version when it is back', async () => {
    await cutOff('lab-2');
    await publish(1);
    await fleet.until(() => fleet.report('lab-3')?.['state'] === 'Running', 'the turn of a cluster');
    await cutOff('lab-3');
    await fleet.until(() => row('lab-1', 'lamp-2').startsWith('Done'), 'the cluster that answers');
    await fleet.clock.advance(61_000);
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'Completed', 'the end without those that are away');
    expect(NAMES.map((name) => row(name, 'lamp-2'))).toEqual([
      'Done Healthy',
      'Skipped Offline',
      'Skipped LostContact',
    ]);
    expect(installed()[1]).toBe('lamp.v1.0.0');
    for (const name of ['lab-2', 'lab-3']) await comeBack(name);
    await fleet.until(() => installed().every((bundle) => bundle === 'lamp.v1.1.0'), 'the others');
    await fleet.until(() => row('lab-3', 'lamp-2') === 'Done Healthy', 'the end of the attempt');
    expect(NAMES.map((name) => approvedPlans(name, 'lamp.v1.1.0'))).toEqual([1, 1, 1]);
  });

  it('gets nothing while another cluster answers under its name, until that one is accepted', async () => {
    await fleet.sight('lab-2', { Reachable: 'True', IdentityStable: 'False' });
    await publish(2);
    await fleet.until(() => fleet.rollout('lamp-3').phase === 'Completed', 'the end without it');
    expect(row('lab-2', 'lamp-3')).toBe('Skipped IdentityChanged');
    expect(installed()).toEqual(['lamp.v1.2.0', 'lamp.v1.1.0', 'lamp.v1.2.0']);
    expect(approvedPlans('lab-2', 'lamp.v1.2.0')).toBe(0);
    await fleet.sight('lab-2', { Reachable: 'True', IdentityStable: 'True' }, 'another');
    await fleet.until(() => installed()[1] === 'lamp.v1.2.0', 'the accepted one');
  });
});
