import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { madeDeployment, offer } from './applier-support/made-operator.js';

const OPERATOR = { apiVersion: FLEET_API, kind: 'FleetOperator', name: 'lamp', namespace: 'platform' };
const SUBSCRIPTION = { ...SUBSCRIPTION_API, name: 'lamp', namespace: LAMPS };

describe('a Subscription that users delete in a cluster for which the last rollout had nothing to do', () => {
  let fleet: FleetBench;
  beforeAll(async () => {
    fleet = await FleetBench.start({ 'shop-1': {}, 'shop-2': {} }, LAMPS);
    const version = { version: '1.0.0', objects: [], channels: ['stable', 'beta'] };
    const deployments = [madeDeployment('lamp', 'lamp')];
    for (const bench of fleet.benches) await offer(bench, 'lamp', [{ ...version, deployments }]);
    await fleet.apply('FleetStrategy', 's', { waves: [] });
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the installation');
    const overrides = [{ clusters: { expression: 'cluster.name == "shop-2"' }, channel: 'beta' }];
    await fleet.hub.client.patch(OPERATOR, { spec: { overrides } });
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'Completed', 'a rollout to the other cluster');
  });
  afterAll(() => fleet.stop());

  it('is reported, and not made again by itself', async () => {
    const shop = fleet.bench('shop-1');
    await shop.client.delete(SUBSCRIPTION);
    await fleet.until(() => fleet.report('shop-1')?.['drift'] === true, 'the report');
    expect(fleet.report('shop-1')).toMatchObject({
      reason: 'Drifted',
      message: expect.stringContaining('was deleted in the cluster'),
    });
    const status = fleet.status('FleetOperator', 'lamp') as Readonly<{ conditions: readonly { type: string }[] }>;
    const drifted = status.conditions.find(({ type }) => type === 'Drifted');
    expect(drifted).toMatchObject({ status: 'True', message: expect.stringContaining('shop-1') });
    for (let pass = 0; pass < 3; pass++) await fleet.pass();
    expect(shop.cluster.get(SUBSCRIPTION)).toBeUndefined();
  });
});
