import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import type { Settings } from '#platform/config/settings';
import { silentLog } from '#platform/telemetry/log.port';
import { directCluster } from '#testing/cluster/direct-client';
import { Refusal } from '#testing/cluster/objects/refusal';
import { PATIENCE } from '#testing/patience';
import { ClusterRegistration } from './cluster-registration.js';

const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'aggregate-olm-edit' };

describe('a cluster that refuses a part of what joining gives it', () => {
  it('is tried again after pauses that grow, and named until then', async () => {
    const { cluster, client, stop } = directCluster('harbour');
    const clock = new ManualClock();
    const hub = { clock, log: silentLog, settings: { joinInstall: true } as Settings };
    const registration = new ClusterRegistration({ hub, random: () => 0.5 });
    const refused = new Refusal(403, 'Forbidden', 'not for you');
    const allow = cluster.failAll({ verb: 'patch', resource: 'clusterroles', name: ROLE.name }, refused);
    const part = registration.partOf(client);
    await part.start();
    await clock.advance(0);
    const health = async () => (await registration.check.check()).detail;
    await vi.waitFor(async () => expect(await health()).toMatch(/harbour: ClusterRole aggregate-olm-edit/), PATIENCE);

    const tries = () => cluster.requests.filter(({ verb, name }) => verb === 'patch' && name === ROLE.name).length;
    expect(tries()).toBe(1);
    await clock.advance(30_000);
    await vi.waitFor(() => expect(tries()).toBe(2), PATIENCE);
    await clock.advance(59_000);
    allow();
    expect(tries(), 'the pause doubles').toBe(2);
    await clock.advance(1_000);
    await vi.waitFor(async () => expect(await health()).toBe('nothing was refused on joining'), PATIENCE);
    expect(cluster.get(ROLE)).toMatchObject({ rules: expect.anything() });

    cluster.requests.clear();
    await clock.advance(60 * 60_000);
    expect(
      cluster.requests.filter(() => true),
      'once all is there, it is not asked again',
    ).toEqual([]);
    await part.stop();
    await stop();
  });
});
