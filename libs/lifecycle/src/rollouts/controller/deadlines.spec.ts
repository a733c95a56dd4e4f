import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { scenarioFrom } from '#core/rollout/simulation/kafka-scenario.fixture';
import { simulateChecked } from '#core/rollout/simulation/simulate-checked';
import { ManualClock } from '#platform/clock/manual-clock';
import { silentLog } from '#platform/telemetry/log.port';
import { storedRows } from '../assignments/stored-rollout.js';
import { carryOutOrders } from '../orders/carry-out-orders.js';
import { orderPlace } from '../orders/place/order-place.fixture.js';
import { RolloutController } from './rollout-controller.js';
import { PlayedFleet } from './rollouts.fixture.js';

const [NEW, PATH] = ['kafka-operator.v2.4.0', ['kafka-operator.v2.3.1', 'kafka-operator.v2.4.0']];
const GATE = { name: 'lamp', cel: { apiVersion: 'v1', kind: 'Namespace', name: 'n', expression: 'true' } };
const SECOND = 1_000;

let fleet: PlayedFleet | undefined;
afterEach(() => fleet?.stop());

const strategyOf = (gates: readonly object[] = []) => ({
  waves: [{ name: 'all', maxConcurrent: '100%', progressDeadline: '2m', gates }],
});

async function begun(gates: readonly object[] = []): Promise<PlayedFleet> {
  fleet = await PlayedFleet.begin(['lab-1'], () => ({}));
  await fleet.apply('FleetStrategy', 's', strategyOf(gates));
  await fleet.apply('FleetOperator', 'kafka', {
    ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
    ...{ strategyRef: { name: 's' }, adopt: true },
  });
  return fleet;
}

async function applies(played: PlayedFleet): Promise<void> {
  for (const { client, preview } of played.clusters)
    await carryOutOrders(orderPlace({ ...played.place, client, preview }));
}

const rowIn = (played: PlayedFleet): string => {
  const found = played.hub.cluster.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'lab-1' });
  const { phase, reason } = storedRows(found ?? { metadata: {} })['platform/kafka-1']?.row ?? {};
  return `${phase} ${reason}`;
};

/** The cluster has started, and its plan is approved. */
async function started(played: PlayedFleet): Promise<void> {
  while (rowIn(played) !== 'Applying Started') {
    await played.controller.pass();
    await applies(played);
  }
  await applies(played);
}

/** The controller is away for so long, while OLM needs so long for each step. */
async function away(played: PlayedFleet, { awayMs, hopMs }: Readonly<{ awayMs: number; hopMs: number }>) {
  await played.clock.advance(hopMs);
  await played.cluster('lab-1').play();
  await applies(played);
  await played.clock.advance(awayMs - hopMs);
  await applies(played);
  played.controller = new RolloutController(played.hub.client, played.clock, silentLog);
}

/** How the same story ends where it is rehearsed; the controller is away from a second after the start. */
function rehearsed(hop: string, { hops = 1, gates = [] as readonly object[], down = '10m' } = {}): string[] {
  const targets = [{ subject: 'FleetOperator/platform/kafka', to: NEW, classes: [{ name: 'only', hops }] }];
  const faults = [{ from: '2s', controllerKilled: { down } }];
  const file = { targets, durations: { hop, ready: '0s' }, faults };
  const { clusters, invariants } = simulateChecked(
    scenarioFrom({ strategy: strategyOf(gates), clusters: 1, file }),
    () => undefined,
  );
  expect(invariants.violations).toEqual([]);
  return clusters.flatMap(({ rows }) => rows.map(({ phase, reason }) => `${phase} ${reason}`));
}

describe('the deadline of a cluster whose controller was away', () => {
  it.each([
    { made: 'before it', hopMs: 90 * SECOND, hop: '90s', row: 'Done Healthy' },
    { made: 'after it', hopMs: 150 * SECOND, hop: '150s', row: 'Failed ProgressDeadlineExceeded' },
  ])('is judged by the time of its report: $made', async ({ hopMs, hop, row }) => {
    const played = await begun();
    await played.cluster('lab-1').offer(NEW);
    await started(played);
    await away(played, { awayMs: 600 * SECOND, hopMs });
    await played.settle();
    expect([rowIn(played)]).toEqual(rehearsed(hop));
    expect(rowIn(played)).toBe(row);
  });

  it('does not run between two steps', async () => {
    const played = await begun();
    await played.cluster('lab-1').offerPath(...PATH);
    await started(played);
    await away(played, { awayMs: 600 * SECOND, hopMs: 50 * SECOND });
    await played.settle(async () => {
      await played.clock.advance(10 * SECOND);
    });
    expect([rowIn(played)]).toEqual(rehearsed('50s', { hops: 2 }));
    expect(rowIn(played)).toBe('Done Healthy');
  });

  it('does not run while the gates of a healthy cluster are not asked', async () => {
    const played = await begun([GATE]);
    await played.cluster('lab-1').client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    await played.cluster('lab-1').offer(NEW);
    await started(played);
    await away(played, { awayMs: 600 * SECOND, hopMs: 50 * SECOND });
    for (let left = 20; left > 0; left--) {
      await played.controller.pass();
      await applies(played);
      await played.clock.advance(10 * SECOND);
    }
    expect([rowIn(played)]).toEqual(rehearsed('50s', { gates: [GATE] }));
    expect(rowIn(played)).toBe('Done Healthy');
  });

  it('counts a report that the hub API did not take from when it was found', async () => {
    const played = await begun();
    await played.cluster('lab-1').offer(NEW);
    await started(played);
    const { client } = played.cluster('lab-1');
    const place = orderPlace({ ...played.place, client });
    await played.clock.advance(90 * SECOND);
    await played.cluster('lab-1').play();
    played.hub.cluster.failNext({ verb: 'update', resource: 'fleetassignments', name: 'lab-1' }, 500, 'InternalError');
    await expect(carryOutOrders(place)).rejects.toThrow('injected InternalError');
    await played.clock.advance(600 * SECOND);
    await carryOutOrders(place);
    await played.settle();
    expect(rowIn(played)).toBe('Done Healthy');
  });

  it('does not fail a cluster because the clock of its applier is fast', async () => {
    const played = await begun();
    await played.cluster('lab-1').offer(NEW);
    await started(played);
    await played.cluster('lab-1').play();
    const { client } = played.cluster('lab-1');
    const clock = new ManualClock(new Date(played.clock.now().getTime() + 600 * SECOND).toISOString());
    await carryOutOrders(orderPlace({ ...played.place, client, clock }));
    await played.settle();
    expect(rowIn(played)).toBe('Done Healthy');
  });
});
