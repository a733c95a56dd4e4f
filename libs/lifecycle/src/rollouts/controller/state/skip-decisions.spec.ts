import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { ordered, plannedClusters } from '../planned-clusters.fixture.js';
import type { PlayedFleet } from '../rollouts.fixture.js';
import { skippedByName } from './skip-decisions.js';

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

describe('a hub that lost an assignment', () => {
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
});

describe('skippedByName', () => {
  const of = (name: string, action: string, created: string, more: object = {}) =>
    ({
      metadata: { name, namespace: 'platform', creationTimestamp: created },
      spec: { rollout: 'kafka-1', action, clusters: ['shop-2'], ...more },
      status: { effective: true, at: created },
    }) as unknown as FleetDecision;
  const rollout = { metadata: { name: 'kafka-1', namespace: 'platform', creationTimestamp: '2026-01-05T00:00:00Z' } };
  const skipped = (...decisions: FleetDecision[]) => [...skippedByName(rollout, decisions)];

  it.each<[string, readonly FleetDecision[], readonly string[]]>([
    ['a Skip', [of('a', 'Skip', '2026-01-05T00:00:00Z')], ['shop-2']],
    ['one about an earlier roll-out of this name', [of('a', 'Skip', '2026-01-04T23:59:59Z')], []],
    ['one about another roll-out', [of('a', 'Skip', '2026-01-05T00:00:00Z', { rollout: 'kafka-2' })], []],
    [
      'a Retry of all after it',
      [of('a', 'Skip', '2026-01-05T00:00:00Z'), of('b', 'Retry', '2026-01-05T00:00:01Z', { clusters: [] })],
      [],
    ],
    [
      'a Skip after a Retry',
      [of('a', 'Retry', '2026-01-05T00:00:00Z'), of('b', 'Skip', '2026-01-05T00:00:01Z')],
      ['shop-2'],
    ],
  ])('%s', (_, decisions, is) => {
    expect(skipped(...decisions)).toEqual(is);
  });
});
