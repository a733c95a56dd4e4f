import { afterAll, beforeAll, describe, it } from 'vitest';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { stopAtADarkLamp } from '../fleet/dark-lamp.js';
import { returnExtensions, rollOutExtensions } from '../fleet/extension-waves.js';
import { installWhereNothingIs } from '../fleet/first-install.js';
import { FleetHub } from '../fleet/fleet-hub.js';
import { holdWhileFrozen } from '../fleet/frozen-fleet.js';
import { replaceTheLogin } from '../fleet/rotated-login.js';
import { rollOutInThreeWaves } from '../fleet/three-waves.js';

const TIERS = ['lab', 'canary', 'shops'];

describe('a hub with a fleet, on real API servers', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let fleet: FleetHub;
  let registry: InMemoryRegistry;
  beforeAll(async () => {
    const controlPlane = await startControlPlane({ clusters: TIERS.length });
    endings.push(() => controlPlane.stop());
    const { clusters } = controlPlane;
    const labelled = Object.fromEntries(clusters.map(({ name }, at) => [name, { tier: TIERS[at] ?? '' }]));
    const kubeconfigs = clusters.map(({ kubeconfigPath }) => kubeconfigPath);
    registry = await startRegistry();
    endings.push(() => registry.stop());
    const [first = '', last = ''] = [clusters[0]?.name, clusters.at(-1)?.name];
    // The first is the hub, and one of its clusters; the login of the last is in a Secret.
    fleet = await FleetHub.start({ kubeconfigs, hub: first, clusters: labelled, inSecrets: [last], registry });
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('rolls out in three waves with soak and approval, and a killed controller is followed by the other', () =>
    rollOutInThreeWaves(fleet));

  it('starts nothing in a freeze, but by break-glass of a user in a group that may lift it', () =>
    holdWhileFrozen(fleet));

  it('stops a version at a check in CEL that canary fails, takes it back, and offers it no more', () =>
    stopAtADarkLamp(fleet));

  it('installs an operator where there is nothing of it, once its plan is approved', () =>
    installWhereNothingIs(fleet));

  it('rolls ClusterExtensions out in three waves, and makes only the content that was approved', () =>
    rollOutExtensions(fleet));

  it('takes ClusterExtensions back to the kept revision while the registry is away', () =>
    returnExtensions(fleet, () => registry.failAll({ status: 503 })));

  it('replaces the login of a cluster by that in its Secret, which leaves and joins with its FleetCluster', () =>
    replaceTheLogin(fleet, fleet.names.at(-1) ?? ''));
});
