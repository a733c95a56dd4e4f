import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { offer } from './applier-support/made-operator.js';

const CLUSTERS = { 'lab-1': { tier: 'beta' }, 'shop-1': {}, 'shop-2': {} };
const CONFIG = { env: [{ name: 'LEVEL', value: 'debug' }] };
const FIRST = { version: '1.0.0', objects: [], channels: ['stable', 'beta'] };
const BETA = { version: '1.0.1', replaces: '1.0.0', objects: [], channels: ['beta'] };
const STABLE = { version: '1.1.0', replaces: '1.0.0', objects: [], channels: ['stable'] };

describe('overrides of a FleetOperator', () => {
  let fleet: FleetBench;
  const subscribed = async (name: string) => {
    const ref = { ...SUBSCRIPTION_API, name: 'lamp', namespace: LAMPS };
    const { channel, config } = ((await fleet.bench(name).client.get(ref))?.['spec'] ?? {}) as Record<string, unknown>;
    return { channel, config };
  };
  const installed = () => fleet.benches.map((bench) => bench.describe(LAMPS));
  const completed = (name: string) => fleet.until(() => fleet.rollout(name).phase === 'Completed', name);
  const rests = async () => {
    for (let pass = 0; pass < 4; pass++) await fleet.pass();
  };

  beforeAll(async () => {
    fleet = await FleetBench.start(CLUSTERS, LAMPS);
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST, BETA]);
    await fleet.apply('FleetStrategy', 's', {});
    const clusters = { selector: { matchLabels: { tier: 'beta' } } };
    await fleet.apply('FleetOperator', 'lamp', {
      ...LAMP_OPERATOR,
      overrides: [{ clusters, channel: 'beta', config: CONFIG }],
    });
  });
  afterAll(() => fleet.stop());

  it('lead clusters to a version of their own in the same rollout', async () => {
    await completed('lamp-1');
    await rests();
    expect(installed()).toEqual(['lamp.v1.0.1 Succeeded', 'lamp.v1.0.0 Succeeded', 'lamp.v1.0.0 Succeeded']);
    expect(await subscribed('lab-1')).toEqual({ channel: 'beta', config: CONFIG });
    expect(await subscribed('shop-1')).toEqual({ channel: 'stable', config: undefined });
    expect(fleet.rollout('lamp-1').counts).toMatchObject({ done: 3 });
    expect(fleet.rollout('lamp-2')).toEqual({});
  });

  it('leave a cluster as it is where only the others have a new version', async () => {
    for (const bench of fleet.benches) await offer(bench, 'lamp', [FIRST, BETA, STABLE]);
    await completed('lamp-2');
    await rests();
    expect(installed()).toEqual(['lamp.v1.0.1 Succeeded', 'lamp.v1.1.0 Succeeded', 'lamp.v1.1.0 Succeeded']);
    expect(fleet.rollout('lamp-3')).toEqual({});
  });

  it('come to a cluster that gets the label, by a rollout of their own', async () => {
    const ref = { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'shop-1' };
    await fleet.hub.client.patch(ref, { metadata: { labels: { tier: 'beta' } } });
    await completed('lamp-3');
    await rests();
    expect(await subscribed('shop-1')).toEqual({ channel: 'beta', config: CONFIG });
    expect(await subscribed('shop-2')).toEqual({ channel: 'stable', config: undefined });
    expect(installed()[1]).toBe('lamp.v1.1.0 Succeeded');
    expect(fleet.rollout('lamp-4')).toEqual({});
  });
});
