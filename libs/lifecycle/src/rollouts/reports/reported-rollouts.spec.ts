import { afterEach, expect, it } from 'vitest';
import { offeredDecisions } from '#core/view/questions/offered-decisions';
import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { directClient } from '#testing/cluster/direct-client';
import { DRIVEN } from '#testing/patience';
import { LiveController } from '../controller/live-controller.js';
import { PlayedFleet } from '../controller/rollouts.fixture.js';
import { carryOutOrders } from '../orders/carry-out-orders.js';
import { orderPlace } from '../orders/place/order-place.fixture.js';
import { WantedOperators } from '../previews/wanted-operators.js';
import { ReportedRollouts } from './reported-rollouts.js';

const NEW = 'kafka-operator.v2.4.0';
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const storeFor = (keep: (rows: readonly FleetRolloutRow[]) => void) => ({
  view: { writeRollouts: async (rows: readonly FleetRolloutRow[]) => keep(rows) },
});

it('shows the console a rollout of the fleet, wave by wave, to its end', async () => {
  const fleet = await PlayedFleet.begin(['lab-1', 'shop-1', 'shop-2'], (name) => ({ tier: name.split('-')[0] ?? '' }));
  ends.push(() => fleet.stop());
  const lab = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } };
  await fleet.apply('FleetStrategy', 's', { waves: [lab] });
  await fleet.apply('FleetOperator', 'kafka', {
    ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
    ...{ strategyRef: { name: 's' }, adopt: true },
  });
  const { hub, clock, clusters } = fleet;
  const of = { clock, log: silentLog };
  const own = directClient(hub.cluster, 'flotilla-fleet-controller').client;
  const controller = new LiveController({ ...of, hub: own, namespace: 'flotilla-system', identity: 'one' });
  controller.start();
  ends.push(() => controller.stop());
  let shown: readonly FleetRolloutRow[] = [];
  const store = storeFor((rows) => {
    shown = rows;
  });
  const poller = directClient(hub.cluster, 'poller').client;
  const reported = new ReportedRollouts(poller, { ...of, store }, { onAssignment: () => undefined });
  reported.start();
  ends.push(() => reported.stop());
  for (const cluster of clusters) await cluster.offer(NEW);
  const [phases, messages] = [new Set<string>(), new Set<string>()];
  const phase = async () => {
    for (let quarters = 0; quarters < 4; quarters++) await clock.advance(250);
    for (const cluster of clusters) {
      await carryOutOrders(orderPlace({ ...fleet.place, client: cluster.client }));
      await cluster.play();
    }
    for (const wave of shown[0]?.waves ?? []) phases.add(`${wave.name}: ${wave.phase}`);
    messages.add(shown[0]?.message ?? '');
    return shown[0]?.phase;
  };
  await expect.poll(phase, DRIVEN).toBe('Completed');
  const done = async () => {
    await phase();
    return shown[0]?.waves.map((wave) => `${wave.done}/${wave.members}`);
  };
  await expect.poll(done, DRIVEN).toEqual(['1/1', '2/2']);
  expect(shown[0]).toMatchObject({ package: 'kafka-operator', target: NEW, phase: 'Completed' });
  expect(shown[0]?.id).toMatch(/\/kafka-1$/);
  expect([...phases]).toContain('lab: Open');
  expect(shown[0]?.waves.map(({ openedAt, completedAt }) => openedAt !== '' && completedAt >= openedAt)).toEqual([
    true,
    true,
  ]);
  expect(shown[0]?.waves.map(({ deadline }) => deadline)).toEqual(['30m', '30m']);
  expect([...messages].some((message) => message.startsWith('wave 1 of 2 (lab)'))).toBe(true);
  expect(await reported.check.check()).toMatchObject({ up: true });
  expect(shown[0]?.decisions).toEqual([]);
  const by = { user: 'jane@example.com', groups: ['sre'] };
  await fleet.apply('FleetDecision', 'later', { rollout: 'kafka-1', action: 'Pause', reason: 'CHG-7', by });
  const told = async () => {
    await phase();
    return shown[0]?.decisions?.map(({ by: who, action, reason, outcome }) => [who, action, reason, outcome]);
  };
  await expect.poll(told, DRIVEN).toEqual([['jane@example.com', 'Pause', 'CHG-7', 'not applicable']]);
});

/** A client that may not read one kind. */
const refusing = (client: KubeClient, refused: string): KubeClient =>
  new Proxy(client, {
    get: (target, name) => {
      const own = Reflect.get(target, name);
      if (typeof own !== 'function') return own;
      return (kind: { kind?: string }, ...rest: unknown[]) => {
        if (kind?.kind === refused) throw new Error('forbidden');
        return own.call(target, kind, ...rest);
      };
    },
  });

const PATH = ['kafka-operator.v2.3.1', NEW];

/** Two clusters on a path of two steps; one of them fails at the first, by which the rollout stops. */
async function stoppedOnAPath(): Promise<PlayedFleet> {
  const fleet = await PlayedFleet.begin(['lab-1', 'lab-2'], () => ({}));
  ends.push(() => fleet.stop());
  const all = { name: 'all', clusters: { selector: {} }, maxConcurrent: 2 };
  await fleet.apply('FleetStrategy', 's', { waves: [all] });
  await fleet.apply('FleetOperator', 'kafka', {
    ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
    ...{ strategyRef: { name: 's' }, adopt: true },
  });
  fleet.cluster('lab-2').failing.add('kafka-operator.v2.3.1');
  for (const cluster of fleet.clusters) await cluster.offerPath(...PATH);
  await fleet.settle();
  return fleet;
}

function shownOf({ hub, clock }: PlayedFleet, client: KubeClient = directClient(hub.cluster, 'poller').client) {
  const of = { clock, log: silentLog };
  const wanted = new WantedOperators(client, of, () => 0.5, {} as never);
  let shown: readonly FleetRolloutRow[] = [];
  const store = storeFor((rows) => {
    shown = rows;
  });
  const reported = new ReportedRollouts(client, { ...of, store }, wanted);
  for (const one of [wanted, reported]) {
    one.start();
    ends.push(() => one.stop());
  }
  return async () => {
    await clock.advance(1_000);
    return shown;
  };
}

it('shows the steps of a path by name, and at which of them clusters are or failed', async () => {
  const fleet = await stoppedOnAPath();
  expect(await fleet.rollout('kafka-1')).toMatchObject({ phase: 'Halted' });
  const shown = shownOf(fleet);
  const steps = async () => (await shown())[0]?.paths?.classes.flatMap((one) => one.steps);
  const [nobody, one] = [{ clusters: 0, sample: [] }, (name: string) => ({ clusters: 1, sample: [name] })];
  await expect.poll(steps, DRIVEN).toEqual([
    { from: 'kafka-operator.v2.3.0', to: 'kafka-operator.v2.3.1', underWay: one('lab-1'), failed: one('lab-2') },
    { from: 'kafka-operator.v2.3.1', to: NEW, underWay: nobody, failed: nobody },
  ]);
  expect((await shown())[0]?.failures.map(({ cause }) => cause)).toEqual([expect.stringContaining('step 1 of 2')]);
  fleet.hub.cluster.requests.clear();
  for (let seconds = 0; seconds < 60; seconds += 1) await fleet.clock.advance(1_000);
  expect(fleet.hub.cluster.requests.filter(({ path }) => path.includes('fleetplans'))).toEqual([]);
});

it('offers the decisions that take effect, and none that the controller refuses', async () => {
  const fleet = await stoppedOnAPath();
  const shown = shownOf(fleet);
  const by = { user: 'jane@example.com', groups: ['sre'] };
  let made = 0;
  const decide = async (action: string): Promise<string> => {
    made += 1;
    const name = `d${made}`;
    await fleet.apply('FleetDecision', name, { rollout: 'kafka-1', action, reason: 'CHG-7', by });
    await fleet.settle();
    const kind = { apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetDecision' };
    const found = await fleet.hub.client.get({ ...kind, name, namespace: 'platform' });
    return String((found as { status?: { reason?: string } } | undefined)?.status?.reason);
  };
  const offered = () =>
    expect.poll(async () => {
      const [row] = await shown();
      return row === undefined ? [] : offeredDecisions(row).map(({ action }) => action);
    }, DRIVEN);
  await offered().toEqual(['Retry', 'Resume', 'Abort', 'Rollback']);
  expect(await decide('Pause')).toBe('NotApplicable');
  expect(await decide('Resume')).toBe('Effective');
  // The failure is forgiven, and the other cluster is a success: the rollout is complete.
  await offered().toEqual(['Retry', 'Rollback']);
  for (const action of ['Resume', 'Pause', 'Abort', 'Promote']) expect(await decide(action)).toBe('NotApplicable');
  expect(await decide('Retry')).toBe('Effective');
  await offered().toEqual(['Rollback']);
  expect(await decide('Rollback')).toBe('Effective');
  await offered().toEqual([]);
});

it('shows rollouts also where the hub API does not let it read FleetPlans, and says that steps are not known', async () => {
  const fleet = await stoppedOnAPath();
  const shown = shownOf(fleet, refusing(directClient(fleet.hub.cluster, 'poller').client, 'FleetPlan'));
  await expect.poll(async () => (await shown())[0]?.id, DRIVEN).toBe('platform/kafka-1');
  expect((await shown())[0]).not.toHaveProperty('paths');
});

it('shows rollouts also where the hub API does not let it read decisions, and says that these are not known', async () => {
  const fleet = await PlayedFleet.begin(['lab-1'], () => ({ tier: 'lab' }));
  ends.push(() => fleet.stop());
  const spec = {
    subject: { kind: 'FleetCatalog', name: 'c' },
    number: 1,
    trigger: 'CatalogChange',
    strategy: { waves: [] },
  };
  await fleet.apply('FleetRollout', 'c-1', { ...spec, target: { bundle: 'x', catalogDigest: 'sha256:1' } });
  const { hub, clock } = fleet;
  const { client } = directClient(hub.cluster, 'poller');
  const refused = refusing(client, 'FleetDecision');
  let shown: readonly FleetRolloutRow[] = [];
  const store = storeFor((rows) => {
    shown = rows;
  });
  const reported = new ReportedRollouts(refused, { clock, log: silentLog, store }, { onAssignment: () => undefined });
  reported.start();
  ends.push(() => reported.stop());
  const id = async () => {
    await clock.advance(1_000);
    return shown[0]?.id.replace(/^.*\//, '');
  };
  await expect.poll(id, DRIVEN).toBe('c-1');
  expect(shown[0]).not.toHaveProperty('decisions');
});
