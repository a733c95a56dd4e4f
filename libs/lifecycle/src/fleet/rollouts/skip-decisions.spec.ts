import { afterEach, beforeEach, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { ordered, plannedClusters } from './planned-clusters.fixture.js';
import type { PlayedFleet } from './rollouts.fixture.js';

const NAMES = ['shop-1', 'shop-2'];

let fleet: PlayedFleet;
afterEach(() => fleet.stop());

async function passes(): Promise<void> {
  for (let left = 4; left > 0; left--) await fleet.controller.pass();
}
async function decide(action: string, name: string, more: object = {}): Promise<void> {
  const by = { user: 'anna', groups: [] };
  await fleet.apply('FleetDecision', name, { rollout: 'kafka-1', action, reason: 'CHG-7', by, ...more });
  await fleet.clock.advance(1_000);
  await passes();
}
/** The assignment of a cluster is deleted, and its applier reports anew what it plans. */
async function lose(name: string): Promise<void> {
  // The roll-out itself keeps the rows of its last step.
  await decide('Pause', 'wait');
  await decide('Resume', 'go-on');
  const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name };
  const status = fleet.hub.cluster.get(ref)?.['status'];
  fleet.hub.cluster.delete(ref);
  await passes();
  fleet.hub.cluster.edit(ref, (stored) => Object.assign(stored, { status }), 'status');
  await passes();
}

beforeEach(async () => {
  fleet = await plannedClusters(NAMES, [{ name: 'all', promotion: 'Manual', maxConcurrent: 5 }]);
  await passes();
  await decide('Skip', 'except', { clusters: ['shop-2'] });
});

it('holds to a Skip of a cluster whose assignment was deleted', async () => {
  await lose('shop-2');
  await decide('Promote', 'go');
  expect(ordered(fleet)).toEqual(['shop-1']);
});

it('brings the update where a Retry came after the Skip', async () => {
  await decide('Retry', 'after-all', { clusters: ['shop-2'] });
  await lose('shop-2');
  await decide('Promote', 'go');
  expect(ordered(fleet)).toEqual(NAMES);
});
