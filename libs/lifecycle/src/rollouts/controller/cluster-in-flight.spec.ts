import { afterEach, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PlayedFleet } from './rollouts.fixture.js';

const [NEXT, LAST] = ['kafka-operator.v2.4.0', 'kafka-operator.v2.5.0'];
const OPERATOR = {
  ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' }, adopt: true },
  ...{ strategyRef: { name: 's' }, clusters: { selector: { matchLabels: { kafka: 'yes' } } } },
};

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
});

it('a cluster that has joined, and is on its way when the next rollout begins, comes to its end', async () => {
  fleet = await PlayedFleet.begin(['lab-1', 'shop-1'], (name) => ({ kafka: name === 'lab-1' ? 'yes' : 'no' }));
  const { hub } = fleet;
  const [lab, shop] = [fleet.cluster('lab-1'), fleet.cluster('shop-1')];
  await fleet.apply('FleetStrategy', 's', { waves: [] });
  await fleet.apply('FleetOperator', 'kafka', OPERATOR);
  for (const cluster of [lab, shop]) await cluster.offer(NEXT);
  await fleet.settle();
  expect([await fleet.rollout('kafka-1'), await lab.installed()]).toMatchObject([{ phase: 'Completed' }, NEXT]);

  const member = { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'shop-1' };
  await hub.client.patch(member, { metadata: { labels: { kafka: 'yes' } } });
  const ordered = async () => {
    const found = await hub.client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'shop-1' });
    const { spec } = (found ?? {}) as { spec?: { rows: readonly { order: string; rollout?: string }[] } };
    const [row] = spec?.rows ?? [];
    return `${row?.order} ${row?.rollout}`;
  };
  let orders: string[] = [];
  await fleet.settle(async () => {
    const order = await ordered();
    if (order !== 'Go platform/kafka-1') return;
    // The newer version shows where nothing is under way, and the next rollout is made at once.
    if (orders.length === 0) await reportPlan(hub.client, LAST);
    orders = [...orders, order];
    await fleet?.controller.pass();
    await fleet?.controller.pass();
    orders = [...orders, await ordered()];
  });
  expect(orders.length).toBeGreaterThan(0);
  expect(new Set(orders)).toEqual(new Set(['Go platform/kafka-1']));
  expect(await shop.installed()).toBe(NEXT);
});

/** As the applier of a cluster reports that it would go on to another version. */
async function reportPlan(hub: PlayedFleet['hub']['client'], planned: string): Promise<void> {
  const found = await hub.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'lab-1' });
  const { status } = found as unknown as { status: { rows: readonly object[] } };
  const rows = status.rows.map((row) => ({ ...row, planned, planHash: 'f'.repeat(64), hops: ['e'.repeat(64)] }));
  await hub.updateStatus({ ...found, status: { ...status, rows } } as KubernetesObject);
}
