import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { madeDeployment, offer } from './applier-support/made-operator.js';

const FIRST = 'lamp.v1.0.0';
const operator = {
  ...LAMP_OPERATOR,
  clusters: { selector: { matchLabels: { lamps: 'yes' } } },
  removal: 'Delete',
};

describe('an operator that the fleet has installed, with removal: Delete', () => {
  let fleet: FleetBench;
  beforeAll(async () => {
    fleet = await FleetBench.start({ 'shop-1': { lamps: 'yes' }, 'shop-2': { lamps: 'yes' } }, LAMPS);
    const version = { version: '1.0.0', objects: [], deployments: [madeDeployment('lamp', 'lamp')] };
    for (const bench of fleet.benches) await offer(bench, 'lamp', [version]);
    await fleet.apply('FleetStrategy', 's', { waves: [] });
    await fleet.apply('FleetOperator', 'lamp', operator);
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the installation');
  });
  afterAll(() => fleet.stop());

  const deploymentIn = (name: string) =>
    fleet.bench(name).cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'lamp', namespace: LAMPS });
  const kept = (name: string) => {
    const { cluster } = fleet.bench(name);
    return [
      cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: LAMPS }),
      cluster.get({
        ...{ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: 'fleet', namespace: LAMPS },
      }),
    ];
  };

  it('goes from a cluster that is not selected any more, and its namespace and group stay', async () => {
    const labels = { lamps: null };
    await fleet.hub.client.patch(
      { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'shop-1' },
      { metadata: { labels } },
    );
    await fleet.until(() => fleet.bench('shop-1').describe(LAMPS) === '', 'the removal');
    await fleet.until(() => deploymentIn('shop-1') === undefined, 'the end of its Deployment');
    expect(kept('shop-1')).toEqual([expect.anything(), expect.anything()]);
    expect(fleet.bench('shop-2').describe(LAMPS)).toBe(`${FIRST} Succeeded`);
  });

  it('goes from all clusters where the FleetOperator is deleted, which stays until then', async () => {
    const ref = { apiVersion: FLEET_API, kind: 'FleetOperator', name: 'lamp', namespace: 'platform' };
    await fleet.hub.client.delete(ref);
    expect(fleet.hub.cluster.get(ref)).toBeDefined();
    await fleet.until(() => fleet.hub.cluster.get(ref) === undefined, 'the end of the FleetOperator');
    expect(fleet.bench('shop-2').describe(LAMPS)).toBe('');
    expect(kept('shop-2')).toEqual([expect.anything(), expect.anything()]);
    expect(fleet.report('shop-2')).toBeUndefined();
  });
});
