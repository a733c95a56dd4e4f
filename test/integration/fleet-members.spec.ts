import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { FleetHub } from '../fleet/fleet-hub.js';
import { joinAndLeave } from '../fleet/members.js';

describe('a hub with a fleet that runs', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let fleet: FleetHub;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-members-'));
    endings.push(() => rm(folder, { recursive: true, force: true }));
    const simulated = await startSimulatedFleet({ clusters: ['hub', 'store-1', 'store-2'] });
    endings.push(() => simulated.stop());
    const file = join(folder, 'kubeconfig');
    await writeFile(file, simulated.kubeconfig(), { mode: 0o600 });
    vi.stubEnv('KUBECONFIG', file);
    vi.stubEnv('FLOTILLA_KUBECONFIG', '');
    vi.stubEnv('FLOTILLA_FLEET', '');
    endings.push(async () => vi.unstubAllEnvs());
    fleet = await FleetHub.start({ kubeconfigs: [file], hub: 'hub', clusters: { 'store-1': {} } });
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('takes up clusters of clusters add and of kubectl, and releases those that leave', () =>
    joinAndLeave(fleet, 'store-2'));
});
