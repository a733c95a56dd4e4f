import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { type MadeDeprecation, offer } from './applier-support/made-operator.js';

const CLUSTERS = { 'lab-1': {}, 'lab-2': {} };
const CHANNELS = ['stable', 'lts'];
const FIRST = { version: '1.0.0', objects: [], channels: CHANNELS };
const SECOND = { version: '1.0.1', replaces: '1.0.0', objects: [], channels: CHANNELS };
const PACKAGE = { reference: { schema: 'olm.package' }, message: 'use torch' };
const CHANNEL = { reference: { schema: 'olm.channel', name: 'stable' }, message: 'use lts' };
const BUNDLE = { reference: { schema: 'olm.bundle', name: 'lamp.v1.0.1' }, message: 'it goes dark' };
const OTHER_CHANNEL = { reference: { schema: 'olm.channel', name: 'lts' }, message: 'use stable' };
const INSTALLED = { reference: { schema: 'olm.bundle', name: 'lamp.v1.0.0' }, message: 'it is old' };

type Condition = Readonly<{ type: string; status: string; reason: string; message: string }>;

describe('what a catalog deprecates', () => {
  let fleet: FleetBench;
  const installed = () => fleet.benches.map((bench) => bench.describe(LAMPS));
  const all = (state: string) => Object.keys(CLUSTERS).map(() => state);
  const classes = (rollout: string) => fleet.rollout(rollout).classes ?? [];
  const deprecated = () => {
    const { conditions = [] } = fleet.status('FleetOperator', 'lamp') as { conditions?: readonly Condition[] };
    const { status, reason, message } = conditions.find(({ type }) => type === 'Deprecated') ?? {};
    return [status, reason, message];
  };
  const offerNext = async (deprecations: readonly MadeDeprecation[]) => {
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST, SECOND], deprecations);
  };
  const approve = (rollout: string) =>
    fleet.apply('FleetDecision', `yes-${rollout}`, {
      ...{ rollout, action: 'Approve', class: classes(rollout)[0]?.hash, reason: 'CHG-1' },
      by: { user: 'anna', groups: [] },
    });

  beforeEach(async () => {
    fleet = await FleetBench.start(CLUSTERS, LAMPS);
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST]);
    const rule = { changes: ['Deprecated'], action: 'Manual' };
    await fleet.apply('FleetStrategy', 's', { approval: { default: 'Auto', rules: [rule] } });
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => installed().join() === all('lamp.v1.0.0 Succeeded').join(), 'the first version');
  });
  afterEach(() => fleet.stop());

  it.each<[string, MadeDeprecation, string, string]>([
    ['its package', PACKAGE, 'package lamp: use torch', 'olm.package/lamp: use torch'],
    ['its channel', CHANNEL, 'channel stable: use lts', 'olm.channel/stable: use lts'],
    ['the bundle', BUNDLE, 'bundle lamp.v1.0.1: it goes dark', 'olm.bundle/lamp.v1.0.1: it goes dark'],
  ])('holds up a version by %s until it is approved, and the FleetOperator says so', async (_what, one, text, said) => {
    await offerNext([one]);
    await fleet.until(() => classes('lamp-2').length > 0, 'the rollout');
    for (let pass = 0; pass < 8; pass++) await fleet.pass();
    expect(classes('lamp-2').map(({ changes }) => changes)).toEqual([['Patch', 'Deprecated']]);
    expect(installed()).toEqual(all('lamp.v1.0.0 Succeeded'));
    const ref = { apiVersion: FLEET_API, kind: 'FleetPlan', namespace: 'platform' };
    const plan = fleet.hub.cluster.get({ ...ref, name: `lamp-2-${classes('lamp-2')[0]?.hash}` });
    expect((plan?.['spec'] as { deprecations?: string[] } | undefined)?.deprecations).toEqual([text]);
    await approve('lamp-2');
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'Completed', 'the approved version');
    expect(installed()).toEqual(all('lamp.v1.0.1 Succeeded'));
    await fleet.until(() => deprecated()[0] === 'True', 'the condition');
    expect(deprecated()).toEqual(['True', 'Deprecated', `2 clusters (lab-1, lab-2): ${said}`]);
  });

  it('lets pass a version that it leaves alone', async () => {
    await offerNext([OTHER_CHANNEL, INSTALLED]);
    await fleet.until(() => installed().join() === all('lamp.v1.0.1 Succeeded').join(), 'the next version');
    expect(classes('lamp-2').map(({ changes }) => changes)).toEqual([['Patch']]);
    await fleet.until(() => deprecated()[0] === 'False', 'the condition');
  });

  it('holds up a change to a deprecated channel that brings no version', async () => {
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST], [OTHER_CHANNEL]);
    const ref = { apiVersion: FLEET_API, kind: 'FleetOperator', name: 'lamp', namespace: 'platform' };
    await fleet.hub.client.patch(ref, { spec: { classic: { channel: 'lts' } } });
    await fleet.until(() => classes('lamp-2').length > 0, 'the rollout');
    for (let pass = 0; pass < 8; pass++) await fleet.pass();
    expect(classes('lamp-2').map(({ changes }) => changes)).toEqual([['ChannelSwitch', 'Deprecated']]);
  });
});
