import { afterAll, beforeAll, describe, it } from 'vitest';
import { installWhereNothingIs } from '../fleet/first-install.js';
import { FleetHub } from '../fleet/fleet-hub.js';
import { type Endings, startSimulatedClusters } from '../fleet/simulated-clusters.js';
import { rollOutInThreeWaves } from '../fleet/three-waves.js';

const clusters = { 'store-1': { tier: 'lab' }, 'store-2': { tier: 'canary' }, 'store-3': { tier: 'shops' } };

describe('a hub with a fleet, on simulated API servers', () => {
  const endings: Endings = [];
  let fleet: FleetHub;
  beforeAll(async () => {
    const names = ['hub', ...Object.keys(clusters)];
    const { kubeconfig } = await startSimulatedClusters(names, endings);
    fleet = await FleetHub.start({ kubeconfigs: [kubeconfig], hub: 'hub', clusters, inSecrets: ['store-2'] });
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('rolls out in three waves with soak and approval, and a killed controller is followed by the other', () =>
    rollOutInThreeWaves(fleet));

  it('installs an operator where there is nothing of it, once its plan is approved', () =>
    installWhereNothingIs(fleet));
});
