import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { plannedClusters } from '../planned-clusters.fixture.js';
import type { PlayedFleet } from '../rollouts.fixture.js';

const NAMES = ['shop-1', 'shop-2'];
const NEW = 'kafka-operator.v2.4.0';
const WITHDRAWN = `${NEW} was withdrawn: no cluster has it, and no catalog leads to it`;

let fleet: PlayedFleet;
afterEach(() => fleet.stop());

const refOf = (kind: string, name: string) => ({ apiVersion: FLEET_API, kind, name, namespace: 'platform' });
const statusOf = (kind: string, name: string) => fleet.hub.cluster.get(refOf(kind, name))?.['status'];
async function passes(): Promise<void> {
  for (let left = 3; left > 0; left--) await fleet.controller.pass();
}

/** What each cluster reports about its plan, instead of what it has said before. */
function report(more: object): void {
  for (const name of NAMES) {
    const common = { subject: 'FleetOperator/platform/kafka', healthy: true, bundle: 'kafka-operator.v2.3.0' };
    const rows = [{ ...common, rollout: 'platform/kafka-1', state: 'Planned', ...more }];
    const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name };
    fleet.hub.cluster.edit(ref, (stored) => Object.assign(stored, { status: { rows } }), 'status');
  }
}
const withdraw = (): void => report({ reason: 'NotOffered', message: 'the catalog does not lead to it any more' });
const offerAgain = (): void => report({ planned: NEW, planHash: 'a'.repeat(64), hops: ['b'.repeat(64)] });

async function decide(action: string, name: string, more: object = {}): Promise<object | undefined> {
  const by = { user: 'anna', groups: [] };
  await fleet.apply('FleetDecision', name, { rollout: 'kafka-1', action, reason: 'CHG-7', by, ...more });
  await passes();
  return statusOf('FleetDecision', name) as object | undefined;
}

describe('a rollout whose target was withdrawn', () => {
  beforeEach(async () => {
    fleet = await plannedClusters(NAMES, [{ name: 'all', promotion: 'Manual' }]);
    await passes();
  });

  const said = (name: string) => {
    const { conditions = [] } = (statusOf('FleetRollout', name) ?? {}) as {
      conditions?: readonly Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>[];
    };
    const found = conditions.find(({ type }) => type === 'TargetWithdrawn');
    return found && `${found.status} ${found.reason} ${found.message}`;
  };

  it('says so in its status, also after its end, until clusters are led to its target again', async () => {
    expect(said('kafka-1')).toBeUndefined();
    withdraw();
    await passes();
    expect(said('kafka-1')).toBe(`True NotOffered ${WITHDRAWN}`);
    fleet.hub.cluster.requests.clear();
    await passes();
    expect(fleet.hub.cluster.requests.writes()).toEqual([]);
    await decide('Abort', 'end');
    expect(said('kafka-1')).toBe(`True NotOffered ${WITHDRAWN}`);
    const before = statusOf('FleetRollout', 'kafka-1');
    offerAgain();
    await passes();
    expect(said('kafka-1')).toBe('False NotWithdrawn ');
    expect(statusOf('FleetRollout', 'kafka-1')).toMatchObject({ ...(before as object), conditions: expect.anything() });
    await decide('Retry', 'again');
    withdraw();
    await passes();
    expect(said('kafka-1'), 'a newer one is there').toBe('False NotWithdrawn ');
  });

  it('does not say so where the next target is there', async () => {
    report({ planned: 'kafka-operator.v2.5.0', planHash: 'c'.repeat(64), hops: ['d'.repeat(64)] });
    await passes();
    expect(statusOf('FleetRollout', 'kafka-1')).toMatchObject({ phase: 'Superseded' });
    expect(said('kafka-1')).toBeUndefined();
  });

  it('is not tried again in single clusters either, with the same reason', async () => {
    const clusters = ['shop-1'];
    expect(await decide('Skip', 'skip', { clusters })).toMatchObject({ effective: true });
    withdraw();
    await passes();
    expect(await decide('Retry', 'again', { clusters })).toMatchObject({
      ...{ effective: false, reason: 'NotApplicable' },
      message: `${WITHDRAWN}; the next version of the catalog gets a rollout of its own`,
    });
  });

  it('is not made anew by a Retry, which says why, until clusters are led to its target again', async () => {
    withdraw();
    await passes();
    expect(await decide('Abort', 'end')).toMatchObject({ effective: true });
    expect(await decide('Retry', 'again')).toMatchObject({
      ...{ effective: false, reason: 'NotApplicable' },
      message: `${WITHDRAWN}; the next version of the catalog gets a rollout of its own`,
    });
    expect(statusOf('FleetRollout', 'kafka-2')).toBeUndefined();
    const events = fleet.hub.cluster.list({ apiVersion: 'v1', kind: 'Event' });
    expect(events.map((event) => event['message'])).toContain(
      `Retry by anna, without effect (NotApplicable: ${WITHDRAWN}; the next version of the catalog gets a rollout of its own): CHG-7`,
    );
    offerAgain();
    await passes();
    expect(await decide('Retry', 'later')).toMatchObject({ effective: true, reason: 'Effective' });
    expect(statusOf('FleetRollout', 'kafka-2')).toBeDefined();
  });
});
