import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { ClusterOfAnotherProcess, ClusterPaused } from '#platform/joining/cluster-writes';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectClient, directClient } from '#testing/cluster/direct-client';
import { PATIENCE } from '#testing/patience';
import type { ClusterPart } from '../../engine/membership/cluster-membership.js';
import { ROWS_ANNOTATION } from '../assignments/stored-rollout.js';
import { PlayedFleet } from '../controller/rollouts.fixture.js';
import { memoRef, writeMemo } from './classic/return-memo.js';
import { ClusterOrders } from './cluster-orders.js';
import { UNSIGNED } from './place/applied-notes.js';

const OLD = 'kafka-operator.v2.3.0';
const NEW = 'kafka-operator.v2.4.0';
const SUBJECT = 'FleetOperator/platform/kafka';

describe('the orders of an applier', () => {
  let fleet: PlayedFleet;
  let hub: DirectClient;
  let orders: ClusterOrders;
  let part: ClusterPart;
  let isCatalogRead: boolean;
  let held: Promise<void> | undefined;
  let timesAsked: number;
  let withheld: Error | undefined;
  beforeEach(async () => {
    isCatalogRead = true;
    held = undefined;
    timesAsked = 0;
    withheld = undefined;
    fleet = await PlayedFleet.begin(['one'], () => ({}));
    const catalog = { name: 'c', namespace: 'olm' };
    const spec = { package: 'kafka-operator', namespace: 'kafka-system', catalog, adopt: true };
    await fleet.apply('FleetOperator', 'kafka', spec);
    hub = directClient(fleet.hub.cluster, 'flotilla-applier');
    orders = new ClusterOrders({
      hub: hub.client,
      clock: fleet.clock,
      log: silentLog,
      limiter: { run: async (_cluster, work) => ({ admitted: true, value: await work() }) },
      globalCatalogNamespaceOf: async () => 'olm',
      placeOf: () => ({
        notes: UNSIGNED,
        previews: {
          askDeprecations: async () => {
            timesAsked++;
            await held;
            if (withheld !== undefined) throw withheld;
            return isCatalogRead ? [] : { waits: 'it was not read yet' };
          },
        },
      }),
    });
    orders.start();
    part = orders.partOf(fleet.cluster('one').client);
    await part.start();
  });
  afterEach(async () => {
    await orders.stop();
    await fleet.stop();
  });

  const assign = async (order: string, more: object = {}) => {
    const metadata = { name: 'one' };
    const rows = [{ subject: SUBJECT, order, attempt: 0, approvedBy: [], ...more }];
    const found = await fleet.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'one' });
    const object = { ...found, apiVersion: FLEET_API, kind: 'FleetAssignment', spec: { rows } };
    if (found === undefined) await fleet.hub.client.create({ ...object, metadata });
    else await fleet.hub.client.update({ ...object, metadata: found.metadata });
  };
  const report = async (): Promise<Record<string, unknown> | undefined> => {
    await fleet.clock.advance(200);
    const found = await fleet.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'one' });
    return (found as { status?: { rows?: Record<string, unknown>[] } } | undefined)?.status?.rows?.[0];
  };

  const asked = async () => {
    await report();
    return timesAsked;
  };

  it('are carried out when they come', async () => {
    await assign('Preview');
    await expect.poll(report, PATIENCE).toMatchObject({ state: 'Planned', bundle: OLD });
  });

  it('are carried out again after a pass over a namespace that they concern, and after no other', async () => {
    await assign('Preview');
    await expect.poll(report, PATIENCE).toMatchObject({ bundle: OLD });
    await fleet.cluster('one').offer(NEW);
    orders.passed({ cluster: 'one', namespace: 'other' });
    orders.passed({ cluster: 'elsewhere', namespace: 'kafka-system' });
    for (let times = 0; times < 10; times++) await report();
    expect(await report()).not.toHaveProperty('planned');
    orders.passed({ cluster: 'one', namespace: 'kafka-system' });
    await expect.poll(report, PATIENCE).toMatchObject({ planned: NEW });
  });

  it('are carried out again by themselves while they wait for what is read, as after Redis was emptied', async () => {
    isCatalogRead = false;
    await fleet.cluster('one').offer(NEW);
    await assign('Preview');
    await expect.poll(report, PATIENCE).toMatchObject({ state: 'Planning' });
    isCatalogRead = true;
    for (let times = 0; times < 10; times++) await report();
    expect(await report()).toMatchObject({ state: 'Planning' });
    await fleet.clock.advance(10_000);
    await expect.poll(report, PATIENCE).toMatchObject({ state: 'Planned', planned: NEW });
  });

  it('are carried out again once the process is sure of its shard again, without any change', async () => {
    withheld = new ClusterOfAnotherProcess('one');
    await fleet.cluster('one').offer(NEW);
    await assign('Preview');
    await expect.poll(asked, PATIENCE).toBeGreaterThan(1);
    withheld = undefined;
    await expect.poll(report, PATIENCE).toMatchObject({ state: 'Planned', planned: NEW });
  });

  it('wait for the end of a pause without asking', async () => {
    withheld = new ClusterPaused('one');
    await fleet.cluster('one').offer(NEW);
    await assign('Preview');
    await expect.poll(asked, PATIENCE).toBe(1);
    await fleet.clock.advance(60_000);
    expect(timesAsked).toBe(1);
  });

  it('ask the more seldom the longer they wait', async () => {
    isCatalogRead = false;
    await fleet.cluster('one').offer(NEW);
    await assign('Preview');
    await expect.poll(report, PATIENCE).toMatchObject({ state: 'Planning' });
    const before = timesAsked;
    for (let seconds = 0; seconds < 3_600; seconds += 5) await fleet.clock.advance(5_000);
    expect(timesAsked - before).toBeGreaterThan(5);
    expect(timesAsked - before).toBeLessThan(25);
  });

  it('say which packages of a namespace they are about, so that rollouts alone approve plans of these', async () => {
    await assign('Preview', { rollout: 'platform/kafka-3' });
    await expect.poll(report, PATIENCE).toBeDefined();
    const kafka = { package: 'kafka-operator', operator: 'platform/kafka', rollout: 'platform/kafka-3' };
    expect(await orders.orderedIn('one', 'kafka-system')).toEqual([kafka]);
    expect(await orders.orderedIn('one', 'elsewhere')).toEqual([]);
    expect(await orders.orderedIn('two', 'kafka-system')).toEqual([]);
  });

  it('are reported though the rollout notes something about its row in the same moment', async () => {
    await assign('Preview');
    await expect.poll(report, PATIENCE).toMatchObject({ bundle: OLD });
    const { cluster } = fleet.hub;
    const again = Promise.withResolvers<void>();
    cluster.lossOf = ({ verb, resource, subresource }) => {
      if (verb !== 'update' || resource !== 'fleetassignments' || subresource !== 'status') return undefined;
      cluster.lossOf = () => undefined;
      // Some of a report, as a change that was set back, is found only once: it is written all the same.
      held = again.promise;
      // As the controller keeps rows: the orders stay what they are.
      cluster.edit({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'one' }, ({ metadata }) => {
        Object.assign(metadata, { annotations: { [ROWS_ANNOTATION]: '{}' } });
      });
      return undefined;
    };
    await fleet.cluster('one').offer(NEW);
    orders.passed({ cluster: 'one', namespace: 'kafka-system' });
    await expect.poll(report, PATIENCE).toMatchObject({ planned: NEW });
    again.resolve();
  });

  it('are not reported over what another applier has reported since, after the cluster changed hands', async () => {
    await assign('Preview');
    await expect.poll(report, PATIENCE).toMatchObject({ bundle: OLD });
    const { cluster } = fleet.hub;
    const writes: string[] = [];
    const again = Promise.withResolvers<void>();
    const others = { subject: SUBJECT, attempt: 0, state: 'Planned', bundle: 'kafka-operator.v2.9.0' };
    cluster.lossOf = ({ verb, resource, subresource }) => {
      if (verb !== 'update' || resource !== 'fleetassignments' || subresource !== 'status') return undefined;
      writes.push(verb);
      if (writes.length > 1) return undefined;
      // Only the passes after this write wait.
      held = again.promise;
      const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'one' };
      cluster.edit(ref, (stored) => Object.assign(stored, { status: { rows: [others] } }), 'status');
      return undefined;
    };
    await fleet.cluster('one').offer(NEW);
    orders.passed({ cluster: 'one', namespace: 'kafka-system' });
    await expect.poll(report, PATIENCE).toMatchObject({ bundle: others.bundle });
    for (let times = 0; times < 10; times++) await report();
    expect(await report()).toEqual(expect.objectContaining(others));
    expect(writes).toHaveLength(1);
    again.resolve();
  });

  it('that come while a check is due only later are carried out at once', async () => {
    const cel = { apiVersion: 'v1', kind: 'Namespace', name: 'kafka-system', expression: 'true' };
    const check = { name: 'there', interval: '1h', cel };
    await assign('Preview', { checks: [check] });
    await expect.poll(report, PATIENCE).toMatchObject({ bundle: OLD, gates: [{ green: true }] });
    await fleet.cluster('one').offer(NEW);
    orders.passed({ cluster: 'one', namespace: 'kafka-system' });
    for (let times = 0; times < 10; times++) await report();
    expect(await report()).toMatchObject({ planned: NEW });
    await assign('Preview');
    for (let times = 0; times < 10; times++) await report();
    expect(await report()).toMatchObject({ gates: [] });
  });

  it('at rest send nothing, and their own reports bring no further requests', async () => {
    await assign('Preview');
    await expect.poll(report, PATIENCE).toMatchObject({ state: 'Planned' });
    for (let times = 0; times < 10; times++) await report();
    const { cluster } = fleet.cluster('one').direct;
    cluster.requests.clear();
    fleet.hub.cluster.requests.clear();
    for (let times = 0; times < 20; times++) await fleet.clock.advance(1_000);
    expect([...cluster.requests, ...fleet.hub.cluster.requests]).toEqual([]);
  });

  it('that come while the hub API is away are carried out after that', async () => {
    await assign('Preview');
    await expect.poll(report, PATIENCE).toMatchObject({ state: 'Planned' });
    await fleet.cluster('one').offer(NEW);
    hub.cutOff(true);
    orders.passed({ cluster: 'one', namespace: 'kafka-system' });
    for (let times = 0; times < 10; times++) await report();
    expect(await report()).not.toHaveProperty('planned');
    hub.cutOff(false);
    await fleet.clock.advance(60_000);
    await expect.poll(report, PATIENCE).toMatchObject({ planned: NEW });
  });

  it('go on with a return that another applier has begun, at the latest with the next resync', async () => {
    await assign('Preview');
    await expect.poll(report, PATIENCE).toMatchObject({ state: 'Planned' });
    const { client } = fleet.cluster('one');
    const subscription = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' };
    const [before] = (await client.list(subscription, { namespace: 'kafka-system' }))?.items ?? [];
    const { name = '', uid = '' } = before?.metadata ?? {};
    await writeMemo(client, memoRef('kafka-system', 'kafka-operator'), {
      ...{ rollout: 'platform/kafka-1', attempt: 1, from: NEW, to: OLD, result: '{}', uid, csvs: [] },
      subscription: { ...before, ...subscription, metadata: { name, namespace: 'kafka-system' } },
    });
    part.resyncs()[0]?.run();
    await expect.poll(report, PATIENCE).toMatchObject({ reason: 'Returning' });
  });

  it('of a cluster that has left are not carried out', async () => {
    await part.leave();
    await assign('Preview');
    for (let times = 0; times < 10; times++) await report();
    expect(await report()).toBeUndefined();
  });
});
