import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectClient, directClient } from '#testing/cluster/direct-client';
import { DRIVEN, PATIENCE } from '#testing/patience';
import { carryOutOrders } from '../orders/carry-out-orders.js';
import { orderPlace } from '../orders/place/order-place.fixture.js';
import { LiveController } from './live-controller.js';
import { PlayedFleet } from './rollouts.fixture.js';

const NAMES = ['lab-1', 'shop-1', 'shop-2', 'shop-3'];
const OLD = 'kafka-operator.v2.3.0';
const NEW = 'kafka-operator.v2.4.0';
const operator = {
  package: 'kafka-operator',
  namespace: 'kafka-system',
  catalog: { name: 'c', namespace: 'olm' },
  strategyRef: { name: 's' },
  adopt: true,
};
const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } };

type Running = Readonly<{ live: LiveController; access: DirectClient }>;
let fleet: PlayedFleet | undefined;
const running: Running[] = [];
afterEach(async () => {
  for (const { live } of running.splice(0)) await live.stop();
  await fleet?.stop();
  fleet = undefined;
});

async function begun(): Promise<PlayedFleet> {
  fleet = await PlayedFleet.begin(NAMES, (name) => ({ tier: name.startsWith('lab') ? 'lab' : 'shop' }));
  await fleet.apply('FleetStrategy', 's', { waves: [lab] });
  await fleet.apply('FleetOperator', 'kafka', operator);
  return fleet;
}

/** A controller as a process of its own would have it: with a client that can be cut off. */
function controllerOf({ hub, clock }: PlayedFleet, identity: string): Running {
  const access = directClient(hub.cluster, 'flotilla-fleet-controller');
  const options = { hub: access.client, namespace: 'flotilla-system', identity, clock, log: silentLog };
  const one = { live: new LiveController(options), access };
  one.live.start();
  running.push(one);
  return one;
}

/** A second of the fleet: the clock moves, appliers carry out orders, and OLM does what is approved. */
async function second(played: PlayedFleet): Promise<void> {
  for (let quarters = 0; quarters < 4; quarters++) await played.clock.advance(250);
  for (const cluster of played.clusters) {
    await carryOutOrders(orderPlace({ ...played.place, client: cluster.client }));
    await cluster.play();
  }
}

const installed = (played: PlayedFleet) => Promise.all(played.clusters.map((cluster) => cluster.installed()));
const phaseOf = async (played: PlayedFleet) => {
  await second(played);
  return (await played.rollout('kafka-1')).phase;
};

describe('a controller that runs', () => {
  it('brings a new version to all clusters, from watches alone', async () => {
    const played = await begun();
    const { live } = controllerOf(played, 'one');
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await expect.poll(() => phaseOf(played), DRIVEN).toBe('Completed');
    expect(await installed(played)).toEqual([NEW, NEW, NEW, NEW]);
    expect(await live.check.check()).toEqual({ up: true, detail: 'decides rollouts' });
    expect(live.figures?.clusters).toEqual(new Map([['reachable', 4]]));
  });

  it('sends nothing but its lease while nothing changes', async () => {
    const played = await begun();
    controllerOf(played, 'one');
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await expect.poll(() => phaseOf(played), DRIVEN).toBe('Completed');
    for (let seconds = 0; seconds < 5; seconds++) await second(played);
    played.hub.cluster.requests.clear();
    for (let quarters = 0; quarters < 80; quarters++) await played.clock.advance(250);
    const written = played.hub.cluster.requests.writes();
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter(({ path }) => !path.includes('/leases/'))).toEqual([]);
  });

  it('that is cut off in the middle is followed by the one that stands by, to the same end', async () => {
    const played = await begun();
    const first = controllerOf(played, 'one');
    await expect.poll(() => second(played).then(() => first.live.leads), PATIENCE).toBe(true);
    const standby = controllerOf(played, 'two');
    for (const cluster of played.clusters) await cluster.offer(NEW);
    const upgraded = async () => {
      await second(played);
      return (await installed(played)).filter((one) => one === NEW).length;
    };
    await expect.poll(upgraded, DRIVEN).toBeGreaterThan(0);
    expect(await installed(played)).toContain(OLD);
    first.access.cutOff(true);
    await expect.poll(() => phaseOf(played), DRIVEN).toBe('Completed');
    expect(await installed(played)).toEqual([NEW, NEW, NEW, NEW]);
    expect([first.live.leads, standby.live.leads]).toEqual([false, true]);
    expect((await first.live.check.check()).up).toBe(false);
  });

  it('goes on with what the hub API has once that was restored from a backup', async () => {
    const played = await begun();
    const { live } = controllerOf(played, 'one');
    for (const cluster of played.clusters) await cluster.offer(NEW);
    const upgraded = async () => {
      await second(played);
      return (await installed(played)).filter((one) => one === NEW).length;
    };
    await expect.poll(upgraded, DRIVEN).toBeGreaterThan(0);
    const backup = played.hub.cluster.snapshot();
    await expect.poll(() => phaseOf(played), DRIVEN).toBe('Completed');

    played.hub.cluster.restoreSnapshot(backup);
    expect((await played.rollout('kafka-1')).phase).not.toBe('Completed');
    await expect.poll(() => phaseOf(played), DRIVEN).toBe('Completed');
    expect(await installed(played)).toEqual([NEW, NEW, NEW, NEW]);
    expect(await live.check.check()).toEqual({ up: true, detail: 'decides rollouts' });
  });

  it('goes on when a window opens, with no other change', async () => {
    const played = await begun();
    const period = { from: '2026-01-05T00:00:00Z', to: '2026-01-05T00:10:00Z' };
    await played.apply('FleetWindow', 'night', { type: 'Deny', period });
    const { live } = controllerOf(played, 'one');
    for (const cluster of played.clusters) await cluster.offer(NEW);
    await expect.poll(() => phaseOf(played), DRIVEN).toBe('Progressing');
    for (let seconds = 0; seconds < 20; seconds++) await second(played);
    expect(await installed(played)).toEqual([OLD, OLD, OLD, OLD]);
    expect(live.figures?.waiting).toEqual(
      new Map([
        ['Window', 1],
        ['WaveNotOpen', 3],
      ]),
    );
    await played.clock.advance(600_000);
    await expect.poll(() => phaseOf(played), DRIVEN).toBe('Completed');
  });

  it('says what is missing where the hub API has no fleet kinds', async () => {
    const played = await begun();
    const [cluster] = played.clusters;
    if (cluster === undefined) throw new RangeError('a fleet has clusters');
    const access = directClient(cluster.direct.cluster, 'flotilla-fleet-controller');
    const options = { hub: access.client, namespace: 'n', identity: 'one', clock: played.clock, log: silentLog };
    const live = new LiveController(options);
    running.push({ live, access });
    live.start();
    const detail = async () => {
      await second(played);
      return (await live.check.check()).detail;
    };
    await expect.poll(detail, PATIENCE).toMatch(/does not serve FleetCluster: .* k8s\/crds\/fleet/);
  });
});
