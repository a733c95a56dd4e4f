import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RELEASE_FINALIZER } from '#core/cluster/membership/cluster-release';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { Refusal } from '#testing/cluster/objects/refusal';
import type { SimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE } from '#testing/patience';
import { FleetHub, secretOf } from '../fleet/fleet-hub.js';
import { importAndLeave } from '../fleet/imported-member.js';
import { joinAndLeave } from '../fleet/members.js';
import { type Endings, startSimulatedClusters } from '../fleet/simulated-clusters.js';

describe('a hub with a fleet that runs', () => {
  const endings: Endings = [];
  let simulated: SimulatedFleet;
  let fleet: FleetHub;
  beforeAll(async () => {
    const started = await startSimulatedClusters(['hub', 'store-1', 'store-2', 'store-3', 'store-4'], endings, {});
    simulated = started.simulated;
    const { kubeconfig } = started;
    vi.stubEnv('KUBECONFIG', kubeconfig);
    vi.stubEnv('FLOTILLA_KUBECONFIG', '');
    vi.stubEnv('FLOTILLA_FLEET', '');
    endings.push(async () => vi.unstubAllEnvs());
    fleet = await FleetHub.start({ kubeconfigs: [kubeconfig], hub: 'hub', clusters: { 'store-1': {} } });
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('takes up clusters of clusters add and of kubectl, and releases those that leave', () =>
    joinAndLeave(fleet, 'store-2'));

  it('takes up a cluster that Argo CD knows, by the login of Argo CD', () => importAndLeave(fleet, 'store-4'));

  it('writes nothing to a cluster before its FleetCluster stays until that is released', async () => {
    const name = 'store-3';
    const hub = simulated.cluster('hub');
    const marking = { verb: 'patch', resource: 'fleetclusters', name };
    const allow = hub.failAll(marking, new Refusal(403, 'Forbidden', 'not yet'));
    await fleet.hub.create(secretOf(name, await fleet.login(name)));
    await fleet.apply('FleetCluster', name, { access: { secretRef: { name } } });
    const tries = () => hub.requests.filter((one) => one.verb === 'patch' && one.name === name).length;
    await expect.poll(tries, LONG_PATIENCE).toBeGreaterThan(2);
    const written = () =>
      simulated
        .cluster(name)
        .requests.writes()
        .filter(({ path }) => !path.startsWith(REVIEWS));
    expect(written()).toEqual([]);
    allow();
    await expect.poll(() => written().length, LONG_PATIENCE).toBeGreaterThan(0);
    const kept = hub.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
    expect(kept?.metadata.finalizers).toEqual([RELEASE_FINALIZER]);
  });
});

/** Reviews of the rights of a client: they are stored nowhere. */
const REVIEWS = '/apis/authorization.k8s.io/';
