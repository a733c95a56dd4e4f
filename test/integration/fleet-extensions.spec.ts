import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { returnExtensions, rollOutExtensions } from '../fleet/extension-waves.js';
import { FleetHub } from '../fleet/fleet-hub.js';

const clusters = { 'store-1': { tier: 'lab' }, 'store-2': { tier: 'shops' } };

describe('a FleetOperator of OLM v1, on simulated API servers', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let fleet: FleetHub;
  let registry: InMemoryRegistry;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-extensions-'));
    endings.push(() => rm(folder, { recursive: true, force: true }));
    const names = ['hub', ...Object.keys(clusters)];
    const simulated = await startSimulatedFleet({ clusters: names, deploymentReadyAfterMs: 200 });
    endings.push(() => simulated.stop());
    registry = await startRegistry();
    endings.push(() => registry.stop());
    const file = join(folder, 'kubeconfig');
    await writeFile(file, simulated.kubeconfig(), { mode: 0o600 });
    fleet = await FleetHub.start({ kubeconfigs: [file], hub: 'hub', clusters, registry });
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('goes through waves, and what was reviewed is what is made', () => rollOutExtensions(fleet));

  it('goes back to the kept revision while the registry is away, and forward from there', () =>
    returnExtensions(fleet, () => registry.failAll({ status: 503 })));
});
