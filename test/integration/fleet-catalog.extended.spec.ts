import { afterAll, beforeAll, describe, it } from 'vitest';
import { moveCatalogsByDigest } from '../fleet/catalog-by-digest.js';
import { FleetHub } from '../fleet/fleet-hub.js';
import { type Endings, startSimulatedClusters } from '../fleet/simulated-clusters.js';
import { promoteStagedCatalog } from '../fleet/staged-catalog.js';
import { promotePriority } from '../fleet/staged-priority.js';

const clusters = { 'store-1': { tier: 'lab' }, 'store-2': { tier: 'shops' } };

describe('a FleetCatalog, on simulated API servers', () => {
  const endings: Endings = [];
  let fleet: FleetHub;
  beforeAll(async () => {
    const names = ['hub', ...Object.keys(clusters)];
    const { kubeconfig } = await startSimulatedClusters(names, endings);
    fleet = await FleetHub.start({ kubeconfigs: [kubeconfig], hub: 'hub', clusters });
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
