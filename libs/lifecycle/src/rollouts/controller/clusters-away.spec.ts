import { describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PlayedFleet } from './rollouts.fixture.js';

const NEW = 'kafka-operator.v2.4.0';
const NAMES = Array.from({ length: 10 }, (_, at) => `shop-${at}`);

/** The passes after which all clusters that answer have the new version, while the last ones do not. */
async function passesWith(away: number): Promise<number> {
  const fleet = await PlayedFleet.begin(NAMES, () => ({}));
  const gone = fleet.clusters.splice(NAMES.length - away);
  try {
    for (const { name } of gone) {
      const found = await fleet.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
      const conditions = [{ type: 'Reachable', status: 'False', lastTransitionTime: fleet.clock.now().toISOString() }];
      await fleet.hub.client.updateStatus({ ...found, status: { uid: name, conditions } } as KubernetesObject);
    }
    await fleet.apply('FleetStrategy', 's', { waves: [{ name: 'all', maxConcurrent: 2 }] });
    await fleet.apply('FleetOperator', 'kafka', {
      ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
      ...{ strategyRef: { name: 's' }, adopt: true },
    });
    await fleet.settle();
    for (const cluster of fleet.clusters) await cluster.offer(NEW);
    let passes = 0;
    let isOver = false;
    await fleet.settle(async () => {
      const installed = await Promise.all(fleet.clusters.map((cluster) => cluster.installed()));
      isOver ||= installed.every((bundle) => bundle === NEW);
      if (!isOver) passes++;
    });
    expect(isOver, 'all clusters that answer have the new version').toBe(true);
    return passes;
  } finally {
    fleet.clusters.push(...gone);
    await fleet.stop();
  }
}

describe('a wave of which a fifth of the clusters is away', () => {
  it('takes the others no longer than 1.1 times as long as without those', async () => {
    const usual = await passesWith(0);
    expect(usual, 'two at a time').toBeGreaterThanOrEqual(NAMES.length / 2);
    expect(await passesWith(2)).toBeLessThanOrEqual(usual * 1.1);
  });
});
