import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { ordered, plannedClusters, succeed } from './planned-clusters.fixture.js';
import type { PlayedFleet } from './rollouts.fixture.js';

let fleet: PlayedFleet | undefined;
afterEach(() => fleet?.stop());

describe('a cluster that never answered before its rollout began', () => {
  it('is no other one once it answers: its wave waits for it', async () => {
    const first = { name: 'first', clusters: { expression: "cluster.name == 'seen'" } };
    const played = await plannedClusters(['seen', 'unseen'], [first]);
    fleet = played;
    const { controller, hub } = played;
    const rollout = { apiVersion: FLEET_API, kind: 'FleetRollout', namespace: 'platform', name: 'kafka-1' };
    const phase = () => (hub.cluster.get(rollout)?.['status'] as { phase?: string } | undefined)?.phase;
    const passes = async () => {
      for (let left = 4; left > 0; left--) await controller.pass();
    };
    const statusOf = (kind: string) => hub.cluster.get({ apiVersion: FLEET_API, kind, name: 'unseen' })?.['status'];
    const setStatus = (kind: string, status: unknown) =>
      hub.cluster.edit(
        { apiVersion: FLEET_API, kind, name: 'unseen' },
        (one) => Object.assign(one, { status }),
        'status',
      );
    const [answering, planned] = [statusOf('FleetCluster'), statusOf('FleetAssignment')];
    // The applier has reported its rights, and the poller nothing yet.
    setStatus('FleetCluster', { missingRights: { applier: [] } });
    setStatus('FleetAssignment', { rows: [] });
    await passes();
    expect(ordered(played)).toEqual(['seen']);
    succeed(played, 'seen');
    await passes();
    setStatus('FleetCluster', answering);
    setStatus('FleetAssignment', planned);
    await passes();
    expect(ordered(played)).toContain('unseen');
    expect(phase()).toBe('Progressing');
    succeed(played, 'unseen');
    await passes();
    expect(phase()).toBe('Completed');
  });
});
