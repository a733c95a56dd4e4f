import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { moveCatalogsByDigest } from '../fleet/catalog-by-digest.js';
import { FleetHub } from '../fleet/fleet-hub.js';
import { promoteStagedCatalog } from '../fleet/staged-catalog.js';
import { promotePriority } from '../fleet/staged-priority.js';

const clusters = { 'store-1': { tier: 'lab' }, 'store-2': { tier: 'shops' } };

describe('a FleetCatalog, on simulated API servers', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let fleet: FleetHub;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-catalog-'));
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

  it('brings the content of a FleetCatalog to a cluster in the turn of its operator', () =>
    moveCatalogsByDigest(fleet));

  it('promotes the content of a Staged FleetCatalog by its own waves, which operators wait for', () =>
    promoteStagedCatalog(fleet));

  it('brings another priority of the same content by the same waves', () => promotePriority(fleet));
});
