import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { type MadeVersion, madeCrd, offer } from './applier-support/made-operator.js';

const CLUSTERS = { 'lab-1': {}, 'lab-2': {} };
const definition = (properties: Record<string, object>) =>
  madeCrd({ kind: 'Lamp', group: 'example.com' }, [{ name: 'v1', storage: true, properties }]);
const TEXT = { type: 'string' };
const FIRST = { version: '1.0.0', objects: [definition({ color: TEXT, size: TEXT })] };
const next = (more: Partial<MadeVersion>): MadeVersion => ({
  ...{ version: '1.0.1', replaces: '1.0.0', objects: FIRST.objects },
  ...more,
});
const widerRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'lamp-reader' },
  rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
};

describe('an approval rule about what a plan changes', () => {
  let fleet: FleetBench;
  const installed = () => fleet.benches.map((bench) => bench.describe(LAMPS));
  const all = (state: string) => Object.keys(CLUSTERS).map(() => state);

  beforeEach(async () => {
    fleet = await FleetBench.start(CLUSTERS, LAMPS);
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST]);
    const rule = { changes: ['RBACGrowth', 'CRDBreaking'], action: 'Manual' };
    await fleet.apply('FleetStrategy', 's', { approval: { default: 'Auto', rules: [rule] } });
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => installed().join() === all('lamp.v1.0.0 Succeeded').join(), 'the first version');
  });
  afterEach(() => fleet.stop());

  const offerNext = async (more: Partial<MadeVersion>) => {
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST, next(more)]);
  };

  it.each([
    ['permissions that grow', { objects: [...FIRST.objects, widerRole] }, ['Patch', 'RBACGrowth']],
    ['a CRD that loses a field', { objects: [definition({ color: TEXT })] }, ['Patch', 'CRDChange', 'CRDBreaking']],
  ])('holds up %s until it is approved', async (_what, more, changes) => {
    await offerNext(more);
    await fleet.until(() => (fleet.rollout('lamp-2').classes ?? []).length > 0, 'the roll-out');
    for (let pass = 0; pass < 8; pass++) await fleet.pass();
    const [only, ...others] = fleet.rollout('lamp-2').classes ?? [];
    expect({ changes: only?.changes, others }).toEqual({ changes, others: [] });
    expect(installed()).toEqual(all('lamp.v1.0.0 Succeeded'));
    await fleet.apply('FleetDecision', 'yes', {
      ...{ rollout: 'lamp-2', action: 'Approve', class: only?.hash, reason: 'CHG-1' },
      by: { user: 'anna', groups: [] },
    });
    await fleet.until(() => installed().join() === all('lamp.v1.0.1 Succeeded').join(), 'the approved version');
  });

  it('holds up a class by what the plan changes in any of its clusters', async () => {
    await fleet.bench('lab-1').client.create(widerRole);
    await offerNext({ objects: [...FIRST.objects, widerRole] });
    const changes = () => fleet.rollout('lamp-2').classes?.map((one) => one.changes);
    await fleet.until(() => changes() !== undefined, 'the roll-out');
    for (let pass = 0; pass < 8; pass++) await fleet.pass();
    expect(changes()).toEqual([['Patch', 'RBACGrowth']]);
    expect(installed()).toEqual(all('lamp.v1.0.0 Succeeded'));
  });

  it('lets pass what it does not name', async () => {
    await offerNext({ objects: [definition({ color: TEXT, size: TEXT, shape: TEXT })] });
    await fleet.until(() => installed().join() === all('lamp.v1.0.1 Succeeded').join(), 'the next version');
    expect(fleet.rollout('lamp-2').classes?.[0]?.changes).toEqual(['Patch', 'CRDChange']);
  });
});
