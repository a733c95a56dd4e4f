import { afterAll, beforeAll, describe, it } from 'vitest';
import { adoptExtension, leaveExtensions, nameTheDeleted, reportDrift } from '../fleet/extension-changes.js';
import { FleetHub } from '../fleet/fleet-hub.js';
import { type Endings, startSimulatedClusters } from '../fleet/simulated-clusters.js';
import { refuseToLoseObjects } from '../fleet/stored-version.js';
import { approveOneOfTwo } from '../fleet/two-operators.js';
import { leaveOutWhatIsWithdrawn } from '../fleet/withdrawn-version.js';

const clusters = { 'store-1': { tier: 'lab' }, 'store-2': { tier: 'shops' } };

describe('hazards of a fleet, on simulated API servers', () => {
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

  it('moves one of two operators in a namespace, and leaves the plan of the other waiting', () =>
    approveOneOfTwo(fleet));

  it('installs no version that its catalog takes back, though its plan waits there already', () =>
    leaveOutWhatIsWithdrawn(fleet));

  it('halts rather than go back to a definition that objects are not stored by any more', () =>
    refuseToLoseObjects(fleet));

  it('takes a ClusterExtension over that users have made, with adopt: true', () => adoptExtension(fleet));

  it('reports what users change of a ClusterExtension, or sets it back', () => reportDrift(fleet));

  it('names the cluster in which a ClusterExtension was deleted', () => nameTheDeleted(fleet));

  it('leaves ClusterExtensions as they are, or deletes them', () => leaveExtensions(fleet));
});
