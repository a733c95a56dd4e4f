import { afterEach, expect, it } from 'vitest';
import type { FleetRolloutRow } from '#core/fleet/view/rollout-row';
import { silentLog } from '#platform/telemetry/log.port';
import { directClient } from '#testing/cluster/direct-client';
import { LONG_PATIENCE } from '#testing/patience';
import { carryOutOrders } from './carry-out-orders.js';
import { LiveController } from './live-controller.js';
import { ReportedRollouts } from './reported-rollouts.js';
import { PlayedFleet } from './rollouts.fixture.js';

const NEW = 'kafka-operator.v2.4.0';
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

it('shows the console a roll-out of the fleet, wave by wave, to its end', async () => {
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
  const write = async (rows: readonly FleetRolloutRow[]) => {
    shown = rows;
  };
  const reported = new ReportedRollouts({ ...of, hub: directClient(hub.cluster, 'poller').client, write });
  reported.start();
  ends.push(() => reported.stop());
  for (const cluster of clusters) await cluster.offer(NEW);
  const [phases, messages] = [new Set<string>(), new Set<string>()];
  const phase = async () => {
    for (let quarters = 0; quarters < 4; quarters++) await clock.advance(250);
    for (const cluster of clusters) {
      await carryOutOrders({ hub: hub.client, client: cluster.client, globalCatalogNamespace: 'olm' });
      await cluster.play();
    }
    for (const wave of shown[0]?.waves ?? []) phases.add(`${wave.name}: ${wave.phase}`);
    messages.add(shown[0]?.message ?? '');
    return shown[0]?.phase;
  };
  await expect.poll(phase, LONG_PATIENCE).toBe('Completed');
  const done = async () => {
    await phase();
    return shown[0]?.waves.map((wave) => `${wave.done}/${wave.members}`);
  };
  await expect.poll(done, LONG_PATIENCE).toEqual(['1/1', '2/2']);
  expect(shown[0]).toMatchObject({ package: 'kafka-operator', target: NEW, phase: 'Completed' });
  expect(shown[0]?.id).toMatch(/\/kafka-1$/);
  expect([...phases]).toContain('lab: Open');
  expect(shown[0]?.waves.map(({ openedAt, completedAt }) => openedAt !== '' && completedAt >= openedAt)).toEqual([
    true,
    true,
  ]);
  expect(shown[0]?.waves.map(({ deadline }) => deadline)).toEqual(['30m', '']);
  expect([...messages].some((message) => message.startsWith('wave 1 of 2 (lab)'))).toBe(true);
  expect(await reported.check.check()).toMatchObject({ up: true });
  expect(shown[0]?.decisions).toEqual([]);
  const by = { user: 'jane@example.com', groups: ['sre'] };
  await fleet.apply('FleetDecision', 'later', { rollout: 'kafka-1', action: 'Pause', reason: 'CHG-7', by });
  const told = async () => {
    await phase();
    return shown[0]?.decisions?.map(({ by: who, action, reason, outcome }) => [who, action, reason, outcome]);
  };
  await expect.poll(told, LONG_PATIENCE).toEqual([['jane@example.com', 'Pause', 'CHG-7', 'not applicable']]);
});

it('shows roll-outs also where the hub API does not let it read decisions, and says that these are not known', async () => {
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
  const refused = new Proxy(client, {
    get: (target, name) => {
      const own = Reflect.get(target, name);
      if (typeof own !== 'function') return own;
      return (kind: { kind?: string }, ...rest: unknown[]) => {
        if (kind?.kind === 'FleetDecision') throw new Error('forbidden');
        return own.call(target, kind, ...rest);
      };
    },
  });
  let shown: readonly FleetRolloutRow[] = [];
  const reported = new ReportedRollouts({
    ...{ clock, log: silentLog, hub: refused },
    write: async (rows) => {
      shown = rows;
    },
  });
  reported.start();
  ends.push(() => reported.stop());
  const id = async () => {
    await clock.advance(1_000);
    return shown[0]?.id.replace(/^.*\//, '');
  };
  await expect.poll(id, LONG_PATIENCE).toBe('c-1');
  expect(shown[0]).not.toHaveProperty('decisions');
});
