import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { REMOVAL_FINALIZER } from '#core/rollout/desired/leaving';
import { PlayedFleet } from '../rollouts.fixture.js';

const NAMES = ['lab-1', 'shop-1'];
const OLD = 'kafka-operator.v2.3.0';
const NEW = 'kafka-operator.v2.4.0';
const operator = {
  package: 'kafka-operator',
  namespace: 'kafka-system',
  catalog: { name: 'c', namespace: 'olm' },
  strategyRef: { name: 's' },
  clusters: { selector: { matchLabels: { kafka: 'yes' } } },
  adopt: true,
};
const ref = { apiVersion: FLEET_API, kind: 'FleetOperator', name: 'kafka', namespace: 'platform' };

let fleet: PlayedFleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

async function rolledOut(more: object = {}): Promise<PlayedFleet> {
  fleet = await PlayedFleet.begin(NAMES, () => ({ kafka: 'yes' }));
  await fleet.apply('FleetStrategy', 's', { waves: [] });
  await fleet.apply('FleetOperator', 'kafka', { ...operator, ...more });
  for (const cluster of fleet.clusters) await cluster.offer(NEW);
  await fleet.settle();
  expect(await installed(fleet)).toEqual([NEW, NEW]);
  return fleet;
}

const installed = (played: PlayedFleet) => Promise.all(played.clusters.map((cluster) => cluster.installed()));
const csvIn = (played: PlayedFleet, cluster: string, name: string) =>
  played.cluster(cluster).client.get({
    apiVersion: 'operators.coreos.com/v1alpha1',
    ...{ kind: 'ClusterServiceVersion', name, namespace: 'kafka-system' },
  });
const assignmentOf = async (played: PlayedFleet, name: string) =>
  (await played.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name })) as
    | (KubernetesObject & { spec: { rows: { order: string }[] }; status?: { rows?: object[] } })
    | undefined;
const rowsOf = async (played: PlayedFleet) =>
  Promise.all(NAMES.map(async (name) => (await assignmentOf(played, name))?.spec.rows.map(({ order }) => order)));

/** What was written to clusters while the fleet came to rest. */
async function writesWhile(played: PlayedFleet, change: () => Promise<unknown>): Promise<number> {
  let count = 0;
  await change();
  await played.settle(() => {
    for (const { direct } of played.clusters) count += direct.cluster.requests.writes().length;
  });
  return count;
}

const relabel = (played: PlayedFleet, name: string, kafka: string | null) =>
  played.hub.client.patch({ apiVersion: FLEET_API, kind: 'FleetCluster', name }, { metadata: { labels: { kafka } } });

describe('a FleetOperator with removal: Keep', () => {
  it('that is deleted leaves clusters as they are, and its orders are withdrawn', async () => {
    const played = await rolledOut();
    expect(await writesWhile(played, () => played.hub.client.delete(ref))).toBe(0);
    expect(await rowsOf(played)).toEqual([[], []]);
    expect((await assignmentOf(played, 'lab-1'))?.status?.rows ?? []).toEqual([]);
    expect(await installed(played)).toEqual([NEW, NEW]);
    expect(await played.rollout('kafka-1')).toMatchObject({ phase: 'Completed', counts: { done: 2 } });
  });

  it('that is deleted in the middle of a rollout starts no further cluster', async () => {
    fleet = await PlayedFleet.begin(NAMES, () => ({ kafka: 'yes' }));
    await fleet.apply('FleetStrategy', 's', { waves: [{ name: 'one', count: 1, soak: '1h' }] });
    await fleet.apply('FleetOperator', 'kafka', operator);
    for (const cluster of fleet.clusters) await cluster.offer(NEW);
    await fleet.settle();
    const before = await installed(fleet);
    expect(before.toSorted()).toEqual([OLD, NEW]);
    await fleet.hub.client.delete(ref);
    await fleet.settle();
    await fleet.clock.advance(2 * 3_600_000);
    await fleet.settle();
    expect(await installed(fleet)).toEqual(before);
    expect(await rowsOf(fleet)).toEqual([[], []]);
    expect(await fleet.rollout('kafka-1')).toMatchObject({ phase: 'Aborted', counts: { targets: 0 } });
  });

  it('that is deleted in the middle of a rollout and made again goes on by a decision alone', async () => {
    fleet = await PlayedFleet.begin(NAMES, () => ({ kafka: 'yes' }));
    await fleet.apply('FleetStrategy', 's', { waves: [{ name: 'one', count: 1, soak: '1h' }] });
    await fleet.apply('FleetOperator', 'kafka', operator);
    for (const cluster of fleet.clusters) await cluster.offer(NEW);
    await fleet.settle();
    await fleet.hub.client.delete(ref);
    await fleet.settle();
    await fleet.apply('FleetOperator', 'kafka', operator);
    await fleet.settle();
    await fleet.clock.advance(2 * 3_600_000);
    await fleet.settle();
    expect((await installed(fleet)).toSorted()).toEqual([OLD, NEW]);
    const by = { user: 'anna', groups: [] };
    await fleet.apply('FleetDecision', 'retry', { rollout: 'kafka-1', action: 'Retry', reason: 'made again', by });
    await fleet.settle();
    await fleet.clock.advance(2 * 3_600_000);
    await fleet.settle();
    expect(await installed(fleet)).toEqual([NEW, NEW]);
    await fleet.clock.advance(2 * 3_600_000);
    await fleet.settle();
    expect(await fleet.rollout('kafka-2')).toMatchObject({ phase: 'Completed', counts: { done: 2 } });
  });

  it('whose cluster leaves the selector leaves it as it is, and takes it up again', async () => {
    const played = await rolledOut();
    expect(await writesWhile(played, () => relabel(played, 'shop-1', null))).toBe(0);
    expect(await rowsOf(played)).toEqual([['Rest'], []]);
    expect(await csvIn(played, 'shop-1', NEW)).toBeDefined();
    await relabel(played, 'shop-1', 'yes');
    await played.settle();
    expect((await rowsOf(played))[1]).toHaveLength(1);
    expect(await installed(played)).toEqual([NEW, NEW]);
  });
});

describe('a FleetOperator with removal: Delete', () => {
  it('removes Subscription and CSVs where the cluster leaves the selector, and nowhere else', async () => {
    const played = await rolledOut({ removal: 'Delete' });
    await relabel(played, 'shop-1', null);
    await played.settle();
    expect(await installed(played)).toEqual([NEW, undefined]);
    expect([await csvIn(played, 'shop-1', NEW), await csvIn(played, 'lab-1', NEW)]).toEqual([
      undefined,
      expect.anything(),
    ]);
    expect(await rowsOf(played)).toEqual([['Rest'], []]);
  });

  it('stays while it is deleted, until each cluster has removed it', async () => {
    const played = await rolledOut({ removal: 'Delete' });
    expect((await played.hub.client.get(ref))?.metadata['finalizers']).toEqual([REMOVAL_FINALIZER]);
    await played.hub.client.delete(ref);
    await played.controller.pass();
    expect(await played.hub.client.get(ref)).toBeDefined();
    await played.settle();
    expect(await installed(played)).toEqual([undefined, undefined]);
    expect(await played.hub.client.get(ref)).toBeUndefined();
    expect(await rowsOf(played)).toEqual([[], []]);
  });

  it('orders the removal of a ClusterExtension, too', async () => {
    fleet = await PlayedFleet.begin(NAMES, () => ({ kafka: 'yes' }));
    const { adopt: _adopt, ...spec } = operator;
    await fleet.apply('FleetOperator', 'kafka', { ...spec, api: 'V1', removal: 'Delete' });
    await fleet.controller.pass();
    expect(await rowsOf(fleet)).toEqual([['Preview'], ['Preview']]);
    await relabel(fleet, 'shop-1', null);
    await fleet.controller.pass();
    expect(await rowsOf(fleet)).toEqual([['Preview'], ['Remove']]);
  });

  it('waits for the end of a freeze and of a pause', async () => {
    const played = await rolledOut({ removal: 'Delete' });
    await played.apply('FleetWindow', 'freeze', { type: 'Deny' });
    const paused = { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'lab-1' };
    await played.hub.client.patch(paused, { spec: { paused: true } });
    await played.hub.client.delete(ref);
    await played.settle();
    expect(await installed(played)).toEqual([NEW, NEW]);
    await played.hub.client.delete({ apiVersion: FLEET_API, kind: 'FleetWindow', name: 'freeze' });
    await played.settle();
    expect(await installed(played)).toEqual([NEW, undefined]);
    await played.hub.client.patch(paused, { spec: { paused: false } });
    await played.settle();
    expect(await installed(played)).toEqual([undefined, undefined]);
    expect(await played.hub.client.get(ref)).toBeUndefined();
  });

  it('is given up with removal: Keep', async () => {
    const played = await rolledOut({ removal: 'Delete' });
    await played.apply('FleetWindow', 'freeze', { type: 'Deny' });
    await played.hub.client.delete(ref);
    await played.settle();
    await played.hub.client.patch(ref, { spec: { removal: 'Keep' } });
    await played.settle();
    expect(await played.hub.client.get(ref)).toBeUndefined();
    expect(await installed(played)).toEqual([NEW, NEW]);
  });

  it('leaves a Subscription that it has never changed', async () => {
    fleet = await PlayedFleet.begin(NAMES, () => ({ kafka: 'yes' }));
    await fleet.apply('FleetOperator', 'kafka', { ...operator, removal: 'Delete' });
    await fleet.settle();
    await fleet.hub.client.delete(ref);
    await fleet.settle();
    expect(await installed(fleet)).toEqual([OLD, OLD]);
    expect(await fleet.hub.client.get(ref)).toBeUndefined();
  });
});

describe('a cluster that leaves the fleet', () => {
  it('loses its orders, and keeps what it has', async () => {
    const played = await rolledOut({ removal: 'Delete' });
    const leave = () => played.hub.client.delete({ apiVersion: FLEET_API, kind: 'FleetCluster', name: 'shop-1' });
    expect(await writesWhile(played, leave)).toBe(0);
    expect(await assignmentOf(played, 'shop-1')).toBeUndefined();
    expect(await installed(played)).toEqual([NEW, NEW]);
  });
});
