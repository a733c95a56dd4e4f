import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { silentLog } from '#platform/telemetry/log.port';
import { directClient } from '#testing/cluster/direct-client';
import { storedRows } from '../assignments/stored-rollout.js';
import { carryOutOrders } from '../orders/carry-out-orders.js';
import { orderPlace } from '../orders/place/order-place.fixture.js';
import { ordered, plannedClusters, succeed } from './planned-clusters.fixture.js';
import { RolloutController } from './rollout-controller.js';
import { PlayedFleet } from './rollouts.fixture.js';

const NAMES = ['lab-1', 'shop-1', 'shop-2', 'shop-3'];
const NEW = 'kafka-operator.v2.4.0';
const operator = {
  ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
  ...{ strategyRef: { name: 's' }, adopt: true },
};
const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } }, maxConcurrent: '100%' };
/** Only writes name it. */
const CONTROLLER = 'flotilla-fleet-controller';
const MOST_PASSES = 200;

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

function rowOf({ hub }: PlayedFleet, name: string) {
  const found = hub.cluster.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
  const { phase, reason } = storedRows(found ?? { metadata: {} })['platform/kafka-1']?.row ?? {};
  return { phase, reason };
}

async function planned(): Promise<PlayedFleet> {
  const played = await PlayedFleet.begin(NAMES, (name) => ({ tier: name.split('-')[0] ?? '' }));
  fleet = played;
  await played.apply('FleetStrategy', 's', { waves: [lab] });
  await played.apply('FleetOperator', 'kafka', operator);
  await played.settle();
  for (const cluster of played.clusters) await cluster.offer(NEW);
  return played;
}

/** Of each pass the hub API takes so many writes; the next one is lost on its way, or its answer is. */
const BROKEN = [
  { most: 1, loss: 'request', made: 'the same controller' },
  { most: 1, loss: 'answer', made: 'another controller each time' },
  { most: 2, loss: 'answer', made: 'the same controller' },
  { most: 2, loss: 'request', made: 'another controller each time' },
  { most: 3, loss: 'request', made: 'the same controller' },
  { most: 3, loss: 'answer', made: 'another controller each time' },
] as const;

describe('passes that break off', () => {
  it.each(BROKEN)('after $most writes, and the $loss of the next one is lost, come to the end: $made', async (how) => {
    const played = await planned();
    const { cluster } = played.hub;
    const { client } = directClient(cluster, CONTROLLER);
    let written = 0;
    cluster.lossOf = ({ fieldManager }) => {
      if (fieldManager !== CONTROLLER) return undefined;
      written += 1;
      if (written <= how.most) return undefined;
      return written === how.most + 1 ? how.loss : 'request';
    };
    const begin = () => new RolloutController(client, played.clock, silentLog);
    let controller = begin();
    let seen: Readonly<{ phase?: string; counts?: object }> = {};
    for (let passes = 0; passes < MOST_PASSES && seen.phase !== 'Completed'; passes++) {
      written = 0;
      await controller.pass().catch(() => undefined);
      if (how.made !== 'the same controller') controller = begin();
      for (const one of played.clusters) {
        await carryOutOrders(orderPlace({ ...played.place, client: one.client }));
        await one.play();
      }
      seen = await played.rollout('kafka-1');
    }
    expect(seen).toMatchObject({ phase: 'Completed', counts: { targets: NAMES.length, done: NAMES.length } });
  });

  it('lose nothing that is found out of a cluster whose row they wrote', async () => {
    const played = await plannedClusters(['shop-1', 'shop-2'], [{ name: 'all', maxConcurrent: '100%' }]);
    fleet = played;
    const { cluster } = played.hub;
    for (let left = 2; left > 0; left--) await played.controller.pass();
    expect(ordered(played)).toEqual(['shop-1', 'shop-2']);
    for (const name of ordered(played)) succeed(played, name);
    cluster.failNext({ verb: 'update', resource: 'fleetassignments', name: 'shop-2' }, 500, 'InternalError');
    await expect(played.controller.pass()).rejects.toThrow('injected InternalError');
    expect([rowOf(played, 'shop-1').phase, rowOf(played, 'shop-2').phase]).toEqual(['Done', 'Applying']);
    succeed(played, 'shop-1', { healthy: false });
    await played.controller.pass();
    expect(rowOf(played, 'shop-1')).toMatchObject({ phase: 'Failed', reason: 'HealthLost' });
  });
});

it('orders nothing from a view that another controller has overtaken, and goes on from a new view', async () => {
  const played = await plannedClusters(['shop-1', 'shop-2'], [{ name: 'all', maxConcurrent: '100%' }]);
  fleet = played;
  const { cluster } = played.hub;
  const rollout = { apiVersion: FLEET_API, kind: 'FleetRollout', name: 'kafka-1', namespace: 'platform' };
  let overtaken = false;
  cluster.lossOf = ({ verb, resource }) => {
    if (overtaken || verb !== 'update' || resource !== 'fleetrollouts') return undefined;
    overtaken = true;
    cluster.edit(rollout, ({ metadata }) => Object.assign(metadata, { labels: { overtaken: 'true' } }));
    return undefined;
  };
  for (let left = 5; left > 0 && !overtaken; left--) {
    expect(ordered(played)).toEqual([]);
    await played.controller.pass();
  }
  expect([overtaken, ordered(played)]).toEqual([true, []]);
  for (let left = 2; left > 0; left--) await played.controller.pass();
  expect(ordered(played)).toEqual(['shop-1', 'shop-2']);
});
