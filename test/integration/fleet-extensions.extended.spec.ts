import { afterAll, beforeAll, describe, it } from 'vitest';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { returnExtensions, rollOutExtensions } from '../fleet/extension-waves.js';
import { FleetHub } from '../fleet/fleet-hub.js';
import { type Endings, startSimulatedClusters } from '../fleet/simulated-clusters.js';

const clusters = { 'store-1': { tier: 'lab' }, 'store-2': { tier: 'shops' } };

describe('a FleetOperator of OLM v1, on simulated API servers', () => {
  const endings: Endings = [];
  let fleet: FleetHub;
  let registry: InMemoryRegistry;
  beforeAll(async () => {
    const names = ['hub', ...Object.keys(clusters)];
    const { kubeconfig } = await startSimulatedClusters(names, endings);
    registry = await startRegistry();
    endings.push(() => registry.stop());
    fleet = await FleetHub.start({ kubeconfigs: [kubeconfig], hub: 'hub', clusters, registry });
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('goes through waves, and what was reviewed is what is made', () => rollOutExtensions(fleet));

  it('goes back to the kept revision while the registry is away, and forward from there', () =>
    returnExtensions(fleet, () => registry.failAll({ status: 503 })));
});
