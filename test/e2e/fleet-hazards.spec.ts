import { afterAll, beforeAll, describe, it } from 'vitest';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { adoptExtension, leaveExtensions, nameTheDeleted, reportDrift } from '../fleet/extension-changes.js';
import { FleetHub } from '../fleet/fleet-hub.js';
import { promoteStagedCatalog } from '../fleet/staged-catalog.js';
import { promotePriority } from '../fleet/staged-priority.js';
import { refuseToLoseObjects } from '../fleet/stored-version.js';
import { approveOneOfTwo } from '../fleet/two-operators.js';
import { leaveOutWhatIsWithdrawn } from '../fleet/withdrawn-version.js';

const TIERS = ['lab', 'canary', 'shops'];

describe('hazards of a fleet, on real API servers', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let fleet: FleetHub;
  beforeAll(async () => {
    const controlPlane = await startControlPlane({ clusters: TIERS.length });
    endings.push(() => controlPlane.stop());
    const { clusters } = controlPlane;
    const labelled = Object.fromEntries(clusters.map(({ name }, at) => [name, { tier: TIERS[at] ?? '' }]));
    const kubeconfigs = clusters.map(({ kubeconfigPath }) => kubeconfigPath);
    // The first is the hub, and one of its clusters.
    fleet = await FleetHub.start({ kubeconfigs, hub: clusters[0]?.name ?? '', clusters: labelled });
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

  it('promotes the content of a Staged FleetCatalog by its own waves, which operators wait for', () =>
    promoteStagedCatalog(fleet));

  it('brings another priority of the same content by the same waves', () => promotePriority(fleet));

  it('takes a ClusterExtension over that users have made, with adopt: true', () => adoptExtension(fleet));

  it('reports what users change of a ClusterExtension, or sets it back', () => reportDrift(fleet));

  it('names the cluster in which a ClusterExtension was deleted', () => nameTheDeleted(fleet));

  it('leaves ClusterExtensions as they are, or deletes them', () => leaveExtensions(fleet));
});
