import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { installWhereNothingIs } from '../fleet/first-install.js';
import { FleetHub } from '../fleet/fleet-hub.js';
import { rollOutInThreeWaves } from '../fleet/three-waves.js';

const clusters = { 'store-1': { tier: 'lab' }, 'store-2': { tier: 'canary' }, 'store-3': { tier: 'shops' } };

describe('a hub with a fleet, on simulated API servers', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let fleet: FleetHub;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-rollout-'));
    endings.push(() => rm(folder, { recursive: true, force: true }));
    const names = ['hub', ...Object.keys(clusters)];
    const simulated = await startSimulatedFleet({ clusters: names, deploymentReadyAfterMs: 200 });
    endings.push(() => simulated.stop());
    const file = join(folder, 'kubeconfig');
    await writeFile(file, simulated.kubeconfig(), { mode: 0o600 });
    fleet = await FleetHub.start({ kubeconfigs: [file], hub: 'hub', clusters, inSecrets: ['store-2'] });
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
