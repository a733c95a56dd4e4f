import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RELEASE_FINALIZER } from '#core/fleet/membership/cluster-release';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { Refusal } from '#testing/cluster/objects/refusal';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE } from '#testing/patience';
import { FleetHub, secretOf } from '../fleet/fleet-hub.js';
import { joinAndLeave } from '../fleet/members.js';

describe('a hub with a fleet that runs', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let simulated: SimulatedFleet;
  let fleet: FleetHub;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-members-'));
    endings.push(() => rm(folder, { recursive: true, force: true }));
    simulated = await startSimulatedFleet({ clusters: ['hub', 'store-1', 'store-2', 'store-3'] });
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

/** What a client may do is asked with these: they are stored nowhere. */
const REVIEWS = '/apis/authorization.k8s.io/';
