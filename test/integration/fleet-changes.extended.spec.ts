import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
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
    await fleet.until(() => (fleet.rollout('lamp-2').classes ?? []).length > 0, 'the rollout');
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
    await fleet.until(() => changes() !== undefined, 'the rollout');
    for (let pass = 0; pass < 8; pass++) await fleet.pass();
    // The cluster that lacks the role is a class of its own: the plan of the other one does not show it.
    expect(changes()).toEqual([
      ['Patch', 'RBACGrowth'],
      ['Patch', 'RBACGrowth'],
    ]);
    expect(installed()).toEqual(all('lamp.v1.0.0 Succeeded'));
  });

  it('lets pass what it does not name', async () => {
    await offerNext({ objects: [definition({ color: TEXT, size: TEXT, shape: TEXT })] });
    await fleet.until(() => installed().join() === all('lamp.v1.0.1 Succeeded').join(), 'the next version');
    expect(fleet.rollout('lamp-2').classes?.[0]?.changes).toEqual(['Patch', 'CRDChange']);
  });
});

describe('another channel of a FleetOperator', () => {
  const CHANNELS = ['stable', 'lts', 'beta'];
  const VERSIONS = [
    { ...FIRST, channels: CHANNELS },
    { ...next({}), channels: ['beta'] },
  ];
  let fleet: FleetBench;
  const installed = () => fleet.bench('lab-1').describe(LAMPS);
  const channel = async () => {
    const ref = { ...SUBSCRIPTION_API, name: 'lamp', namespace: LAMPS };
    return ((await fleet.bench('lab-1').client.get(ref))?.['spec'] as { channel?: string } | undefined)?.channel;
  };
  const switchTo = (name: string) =>
    fleet.hub.client.patch(
      { apiVersion: FLEET_API, kind: 'FleetOperator', name: 'lamp', namespace: 'platform' },
      { spec: { classic: { channel: name } } },
    );

  beforeEach(async () => {
    fleet = await FleetBench.start({ 'lab-1': {} }, LAMPS);
    await offer(fleet.bench('lab-1'), 'lamp', VERSIONS);
    const rule = { changes: ['ChannelSwitch'], action: 'Manual' };
    await fleet.apply('FleetStrategy', 's', { approval: { default: 'Auto', rules: [rule] } });
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => installed() === 'lamp.v1.0.0 Succeeded', 'the first version');
  });
  afterEach(() => fleet.stop());

  it.each([
    ['a version that it leads to', 'beta', ['Patch', 'ChannelSwitch'], 'lamp.v1.0.1 Succeeded'],
    ['no other version', 'lts', ['ChannelSwitch'], 'lamp.v1.0.0 Succeeded'],
  ])('comes with %s, once it is approved', async (_what, name, changes, after) => {
    await switchTo(name);
    const classes = () => fleet.rollout('lamp-2').classes ?? [];
    await fleet.until(() => classes().length > 0, 'the rollout');
    for (let pass = 0; pass < 8; pass++) await fleet.pass();
    expect(classes().map((one) => one.changes)).toEqual([changes]);
    expect([await channel(), installed()]).toEqual(['stable', 'lamp.v1.0.0 Succeeded']);
    await fleet.apply('FleetDecision', 'yes', {
      ...{ rollout: 'lamp-2', action: 'Approve', class: classes()[0]?.hash, reason: 'CHG-1' },
      by: { user: 'anna', groups: [] },
    });
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'Completed', 'the approved channel');
    expect([await channel(), installed()]).toEqual([name, after]);
    for (let pass = 0; pass < 4; pass++) await fleet.pass();
    expect(fleet.rollout('lamp-3')).toEqual({});
  });

  it('comes by a Retry, too, after its rollout was aborted', async () => {
    const by = { user: 'anna', groups: [] };
    const decide = (rollout: string, action: string, more: object = {}) =>
      fleet.apply('FleetDecision', `${rollout}-${action.toLowerCase()}`, {
        rollout,
        action,
        reason: 'CHG-1',
        by,
        ...more,
      });
    const classes = (name: string) => fleet.rollout(name).classes ?? [];
    await switchTo('lts');
    await fleet.until(() => classes('lamp-2').length > 0, 'the rollout');
    await decide('lamp-2', 'Abort');
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'Aborted', 'its end');
    await decide('lamp-2', 'Retry');
    await fleet.until(() => classes('lamp-3').length > 0, 'the rollout of the Retry');
    expect(classes('lamp-3').map(({ changes }) => changes)).toEqual([['ChannelSwitch']]);
    expect(await channel()).toBe('stable');
    // A Retry of a Retry is one of the spec, too.
    await decide('lamp-3', 'Abort');
    await fleet.until(() => fleet.rollout('lamp-3').phase === 'Aborted', 'its end');
    await decide('lamp-3', 'Retry');
    await fleet.until(() => classes('lamp-4').length > 0, 'the second rollout of a Retry');
    await decide('lamp-4', 'Approve', { class: classes('lamp-4')[0]?.hash });
    await fleet.until(() => fleet.rollout('lamp-4').phase === 'Completed', 'the approved channel');
    expect([await channel(), installed()]).toEqual(['lts', 'lamp.v1.0.0 Succeeded']);
  });
});
