import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { adoptExtension, leaveExtensions, nameTheDeleted, reportDrift } from '../fleet/extension-changes.js';
import { FleetHub } from '../fleet/fleet-hub.js';
import { refuseToLoseObjects } from '../fleet/stored-version.js';
import { approveOneOfTwo } from '../fleet/two-operators.js';

const clusters = { 'store-1': { tier: 'lab' }, 'store-2': { tier: 'shops' } };

describe('hazards of a fleet, on simulated API servers', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let fleet: FleetHub;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-hazards-'));
    endings.push(() => rm(folder, { recursive: true, force: true }));
    const names = ['hub', ...Object.keys(clusters)];
    const simulated = await startSimulatedFleet({ clusters: names, deploymentReadyAfterMs: 200 });
    endings.push(() => simulated.stop());
    const file = join(folder, 'kubeconfig');
    await writeFile(file, simulated.kubeconfig(), { mode: 0o600 });
    fleet = await FleetHub.start({ kubeconfigs: [file], hub: 'hub', clusters });
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('moves one of two operators in a namespace, and leaves the plan of the other waiting', () =>
    approveOneOfTwo(fleet));

  it('halts rather than go back to a definition that objects are not stored by any more', () =>
    refuseToLoseObjects(fleet));

  it('takes a ClusterExtension over that users have made, with adopt: true', () => adoptExtension(fleet));

  it('reports what users change of a ClusterExtension, or sets it back', () => reportDrift(fleet));

  it('names the cluster in which a ClusterExtension was deleted', () => nameTheDeleted(fleet));

  it('leaves ClusterExtensions as they are, or deletes them', () => leaveExtensions(fleet));
});
