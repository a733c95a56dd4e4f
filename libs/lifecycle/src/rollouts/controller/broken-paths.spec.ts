import { afterEach, describe, expect, it } from 'vitest';
import { FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { silentLog } from '#platform/telemetry/log.port';
import { directClient } from '#testing/cluster/direct-client';
import { storedRows } from '../assignments/stored-rollout.js';
import { carryOutOrders } from '../orders/carry-out-orders.js';
import { orderPlace } from '../orders/place/order-place.fixture.js';
import { RolloutController } from './rollout-controller.js';
import { PlayedFleet } from './rollouts.fixture.js';

const NAMES = ['lab-1', 'lab-2', 'shop-1'];
const OLD = 'kafka-operator.v2.3.0';
const NEXT = 'kafka-operator.v2.3.1';
const LAST = 'kafka-operator.v2.4.0';
const NEWER = 'kafka-operator.v2.5.0';
const HOUR_MS = 60 * 60_000;
const operator = {
  ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
  ...{ strategyRef: { name: 's' }, adopt: true },
};
const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } };
const decided = { rollout: 'kafka-1', reason: 'CHG-1', by: { user: 'anna', groups: [] } };

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

async function begun(strategy: object = {}, path: readonly string[] = [NEXT, LAST]): Promise<PlayedFleet> {
  fleet = await PlayedFleet.begin(NAMES, (name) => ({ tier: name.split('-')[0] ?? '' }));
  await fleet.apply('FleetStrategy', 's', { waves: [lab], ...strategy });
  await fleet.apply('FleetOperator', 'kafka', operator);
  await fleet.settle();
  for (const cluster of fleet.clusters) {
    await cluster.keepContent();
    await cluster.offerPath(...path);
  }
  return fleet;
}

const installed = (played: PlayedFleet) => Promise.all(played.clusters.map((cluster) => cluster.installed()));
const assignmentOf = async (played: PlayedFleet, name: string) =>
  FleetAssignment.parse(await played.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name }));
const rowOf = async (played: PlayedFleet, name: string, rollout = 'kafka-1') => {
  const { phase, reason, hop } = storedRows(await assignmentOf(played, name))[`platform/${rollout}`]?.row ?? {};
  return `${phase} ${reason} hop ${hop}`;
};
const rowsOf = (played: PlayedFleet, rollout: string) => Promise.all(NAMES.map((name) => rowOf(played, name, rollout)));
const targetOf = async ({ hub }: PlayedFleet, name: string) => {
  const ref = { apiVersion: FLEET_API, kind: 'FleetRollout', name, namespace: 'platform' };
  return ((await hub.client.get(ref)) as { spec?: { target?: { bundle?: string } } } | undefined)?.spec?.target?.bundle;
};

/** Comes to rest, and `then` happens once when lab-1 is between its hops. */
async function betweenHops(played: PlayedFleet, then: () => Promise<void>): Promise<void> {
  let isThere = false;
  await played.settle(async () => {
    if (isThere || (await played.cluster('lab-1').installed()) !== NEXT) return;
    isThere = true;
    await then();
  });
  expect(isThere).toBe(true);
}

async function later(played: PlayedFleet): Promise<void> {
  await played.clock.advance(HOUR_MS);
  await played.settle();
}

async function reach({ hub, clock }: PlayedFleet, name: string, status: 'True' | 'False'): Promise<void> {
  const conditions = [{ type: 'Reachable', status, lastTransitionTime: clock.now().toISOString() }];
  const ref = { apiVersion: FLEET_API, kind: 'FleetCluster', name };
  await hub.client.patch(ref, { status: { conditions } }, { subresource: 'status' });
}

describe('a return from a path', () => {
  it('leads to what was there before the first hop, and what comes before the denied version is a target', async () => {
    const played = await begun({ onFailure: 'RollBackAll' });
    played.cluster('shop-1').failing.add(LAST);
    const seen: unknown[] = [];
    await played.settle(async () => {
      const now = await played.cluster('lab-1').installed();
      if (now !== undefined && seen.at(-1) !== now) seen.push(now);
    });
    expect(seen).toEqual([OLD, NEXT, LAST, OLD, NEXT]);
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'RolledBack' });
    expect(await rowsOf(played, 'kafka-1')).toEqual(Array(3).fill('RolledBack Returned hop 2'));
    expect(await targetOf(played, 'kafka-2')).toBe(NEXT);
    await later(played);
    expect(await installed(played)).toEqual([NEXT, NEXT, NEXT]);
    expect(await targetOf(played, 'kafka-3'), 'the denied version is all that is left').toBeUndefined();
  });

  it('by a decision between two hops agrees with clusters that never started', async () => {
    const played = await begun();
    await betweenHops(played, () => played.apply('FleetDecision', 'back', { ...decided, action: 'Rollback' }));
    expect(await rowOf(played, 'lab-1')).toBe('RolledBack Returned hop 1');
    expect(await targetOf(played, 'kafka-2')).toBe(NEXT);
    await later(played);
    expect(await rowsOf(played, 'kafka-2')).toEqual(Array(3).fill('Done Healthy hop 1'));
    expect(await targetOf(played, 'kafka-3')).toBeUndefined();
  });

  it('of one cluster by itself leaves the others on their way', async () => {
    const played = await begun({ onClusterFailure: 'RollBack', waves: [{ ...lab, failureThreshold: 1 }] });
    played.cluster('lab-1').failing.add(LAST);
    await played.settle();
    await later(played);
    expect(await rowOf(played, 'lab-1')).toBe('RolledBack Returned hop 2');
    expect(await installed(played)).toEqual([NEXT, LAST, LAST]);
    expect(await rowsOf(played, 'kafka-2')).toEqual([
      'Done Healthy hop 1',
      'Done UpToDate hop 0',
      'Done UpToDate hop 0',
    ]);
  });
});

describe('a version that was taken back', () => {
  it('is not installed again on the way to a later one, until it is tried again', async () => {
    const played = await begun({}, [NEXT]);
    await played.settle();
    await played.apply('FleetDecision', 'back', { ...decided, action: 'Rollback' });
    await played.settle();
    for (const cluster of played.clusters) await cluster.publish(NEXT, LAST);
    await later(played);
    expect(await installed(played)).toEqual([OLD, OLD, OLD]);
    expect(await targetOf(played, 'kafka-2')).toBeUndefined();
    await played.apply('FleetDecision', 'again', { ...decided, action: 'Retry' });
    await later(played);
    expect(await targetOf(played, 'kafka-2'), 'what was tried again, not what follows on it').toBe(NEXT);
    expect(await rowsOf(played, 'kafka-2')).toEqual(Array(3).fill('Done Healthy hop 1'));
    await later(played);
    expect(await targetOf(played, 'kafka-3')).toBe(LAST);
    expect(await installed(played)).toEqual([LAST, LAST, LAST]);
  });
});

describe('a path that is broken off', () => {
  it('goes on from the hop that failed, once what is left was approved', async () => {
    const played = await begun({ approval: { default: 'Manual' } });
    const approve = async (name: string, phase: string) => {
      const { classes = [] } = await played.rollout('kafka-1');
      const open = (classes as { hash: string; approval?: string }[]).find(({ approval }) => approval === phase);
      await played.apply('FleetDecision', name, { ...decided, action: 'Approve', class: open?.hash });
    };
    await played.settle();
    played.cluster('lab-1').failing.add(LAST);
    await approve('path', 'Waiting');
    await played.settle();
    expect(await rowOf(played, 'lab-1')).toBe('Failed ApplyFailed hop 2');
    played.cluster('lab-1').failing.clear();
    await played.apply('FleetDecision', 'again', { ...decided, action: 'Retry' });
    await played.settle();
    expect(await rowOf(played, 'lab-1')).toBe('Waiting Approval hop 2');
    await approve('rest', 'Waiting');
    // The applier of OLM makes a plan that is to be made anew.
    await played.settle(async () => {
      const { annotations = {} } = (await played.cluster('lab-1').planOf(LAST))?.metadata ?? {};
      if ('flotilla.dev/retry' in annotations) await played.cluster('lab-1').offer(LAST);
    });
    await later(played);
    expect(await rowOf(played, 'lab-1')).toBe('Done Healthy hop 1');
    expect(await installed(played)).toEqual([LAST, LAST, LAST]);
  });

  it('by an Abort between its hops is passed over, and has not failed', async () => {
    const played = await begun();
    await betweenHops(played, () => played.apply('FleetDecision', 'end', { ...decided, action: 'Abort' }));
    expect(await rowOf(played, 'lab-1')).toBe('Skipped ByDecision hop 1');
    const { status } = await assignmentOf(played, 'lab-1');
    expect(status?.rows).toMatchObject([{ state: 'Ready', hop: 1, bundle: NEXT }]);
    await later(played);
    const [here, , untouched] = await installed(played);
    expect([here, untouched]).toEqual([NEXT, OLD]);
  });

  it.each(['AfterWave', 'Immediately'])(
    'by a newer version between its hops gives way to it: %s',
    async (supersede) => {
      const played = await begun({ supersede });
      await betweenHops(played, async () => {
        for (const cluster of played.clusters) await cluster.publish(LAST, NEWER);
      });
      for (let waves = 0; waves < 2; waves++) await later(played);
      expect(await installed(played)).toEqual([NEWER, NEWER, NEWER]);
      expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Superseded' });
      expect(await played.rollout('kafka-2')).toMatchObject({ phase: 'Completed' });
    },
  );

  it.each([
    { offline: 'Skip', silent: 'Skipped LostContact hop 1', end: 'Done Healthy hop 1' },
    { offline: 'Wait', silent: 'Applying Unreachable hop 1', end: 'Done Healthy hop 2' },
    { offline: 'Fail', silent: 'Failed Offline hop 1', end: 'Failed Offline hop 1' },
  ])('by a cluster that falls silent between its hops, and comes back: $offline', async (how) => {
    const played = await begun({ waves: [{ ...lab, offline: how.offline, offlineGrace: '10m' }] });
    await betweenHops(played, () => reach(played, 'lab-1', 'False'));
    await later(played);
    expect(await rowOf(played, 'lab-1')).toBe(how.silent);
    await reach(played, 'lab-1', 'True');
    await later(played);
    expect(await rowOf(played, 'lab-1')).toBe(how.end);
  });

  it('by a report that is lost between its hops goes on', async () => {
    const played = await begun();
    await betweenHops(played, async () => {
      const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'lab-1' };
      await played.hub.client.patch(ref, { status: { rows: [] } }, { subresource: 'status' });
    });
    expect(await rowOf(played, 'lab-1')).toBe('Done Healthy hop 2');
  });
});

it('brings clusters over paths of different length to one target', async () => {
  const played = await begun({}, []);
  await played.cluster('lab-1').upgradeByHand(NEXT);
  for (const cluster of played.clusters) {
    await cluster.offerPath(...(cluster.name === 'lab-1' ? [LAST, NEWER] : [NEXT, LAST, NEWER]));
  }
  await later(played);
  const hops = [2, 3, 3].map((count) => `Done Healthy hop ${count}`);
  expect(await rowsOf(played, 'kafka-1')).toEqual(hops);
  expect((await played.rollout('kafka-1')).classes).toHaveLength(2);
});

const SERVICE = 'a-service-that-dies';
const MOST_PASSES = 400;

/** Up to three writes of each pass arrive, in turn; the next one is lost on its way, or its answer is. */
it.each(['request', 'answer'] as const)('comes to its end where all passes break off, the %s lost', async (loss) => {
  const played = await begun();
  const servers = [played.hub, ...played.clusters.map(({ direct }) => direct)];
  let [left, passes] = [0, 0];
  for (const { cluster } of servers) {
    cluster.lossOf = ({ fieldManager }) => {
      if (fieldManager !== SERVICE) return undefined;
      left -= 1;
      if (left >= 0) return undefined;
      return left === -1 ? loss : 'request';
    };
  }
  const { client: hub } = directClient(played.hub.cluster, SERVICE);
  for (; passes < MOST_PASSES && (await played.rollout('kafka-1')).phase !== 'Completed'; passes++) {
    left = passes % 4;
    await new RolloutController(hub, played.clock, silentLog).pass().catch(() => undefined);
    for (const one of played.clusters) {
      left = passes % 4;
      const { client } = directClient(one.direct.cluster, SERVICE);
      const place = orderPlace({ ...played.place, hub, client, preview: one.preview });
      await carryOutOrders(place).catch(() => undefined);
      await one.play();
    }
  }
  expect(passes).toBeLessThan(MOST_PASSES);
  expect(await installed(played)).toEqual([LAST, LAST, LAST]);
  expect(await rowsOf(played, 'kafka-1')).toEqual(Array(3).fill('Done Healthy hop 2'));
});
