import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import { scenarioFrom } from '#core/rollout/simulation/kafka-scenario.fixture';
import { simulateChecked } from '#core/rollout/simulation/simulate-checked';
import { storedRows } from '../assignments/stored-rollout.js';
import { carryOutOrders } from '../orders/carry-out-orders.js';
import { orderPlace } from '../orders/place/order-place.fixture.js';
import { PlayedFleet } from './rollouts.fixture.js';

const NAMES = ['lab-1', 'lab-2'];
const [NEXT, MIDDLE, LAST] = ['kafka-operator.v2.3.1', 'kafka-operator.v2.3.2', 'kafka-operator.v2.4.0'];
const SUBJECT = 'FleetOperator/platform/kafka';
const by = { user: 'anna', groups: [] };

let fleet: PlayedFleet | undefined;
afterEach(() => fleet?.stop());

type Strategy = Readonly<{ waves: readonly object[]; approval?: object }>;
type End = Readonly<{ rows: readonly string[]; rollout: string; wave: string; classes: readonly string[] }>;

async function begun(strategy: Strategy, path: readonly string[]): Promise<PlayedFleet> {
  fleet = await PlayedFleet.begin(NAMES, () => ({}));
  await fleet.apply('FleetStrategy', 's', strategy);
  await fleet.apply('FleetOperator', 'kafka', {
    ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
    ...{ strategyRef: { name: 's' }, adopt: true },
  });
  for (const cluster of fleet.clusters) await cluster.offerPath(...path);
  return fleet;
}

/** All work until nothing changes; `then` happens once when a cluster is between its first two hops. */
async function works(played: PlayedFleet, deprecated: () => boolean, then?: () => void): Promise<void> {
  let act = then;
  for (let passes = 0; passes < 25; passes++) {
    await played.controller.pass();
    const installed = await Promise.all(played.clusters.map((one) => one.installed()));
    if (installed.includes(NEXT)) {
      act?.();
      act = undefined;
    }
    for (const { client, preview } of played.clusters) {
      const askDeprecations = async () => (deprecated() ? ['bundle: it goes dark'] : []);
      await carryOutOrders(orderPlace({ ...played.place, client, preview, askDeprecations }));
    }
    for (const cluster of played.clusters) await cluster.play();
  }
  expect(act).toBeUndefined();
}

/** Asked for by decisions about the class that waits. */
async function approve(played: PlayedFleet, name: string): Promise<void> {
  const { classes = [] } = await played.rollout('kafka-1');
  const open = (classes as { hash: string; approval?: string }[]).find(({ approval }) => approval === 'Waiting');
  const spec = { rollout: 'kafka-1', action: 'Approve', class: open?.hash, reason: 'CHG-1', by };
  await played.apply('FleetDecision', name, spec);
}

async function endOf(played: PlayedFleet): Promise<End> {
  const rows = NAMES.map((name) => {
    const found = played.hub.cluster.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
    const { phase, reason, attempt } = storedRows(found ?? { metadata: {} })['platform/kafka-1']?.row ?? {};
    return `${phase} ${reason} ${attempt}`;
  });
  const status: unknown = await played.rollout('kafka-1');
  const { phase, reason, waves, classes } = status as {
    phase: string;
    reason: string;
    waves: { phase: string }[];
    classes: { changes: string[]; approval: string }[];
  };
  const shown = classes.map(({ changes, approval }) => `${changes.join()} ${approval}`);
  return { rows: rows.toSorted(), rollout: `${phase} ${reason}`, wave: waves[0]?.phase ?? '', classes: shown };
}

function rehearsed(strategy: Strategy, file: Readonly<{ targets: readonly object[]; script: readonly object[] }>): End {
  const events: FleetEvent[] = [];
  const release = { at: '0s', release: { subject: SUBJECT, to: LAST } };
  const { rollouts, clusters, invariants } = simulateChecked(
    scenarioFrom({ strategy, clusters: 2, file: { until: '1h', ...file, script: [release, ...file.script] } }),
    (event) => events.push(event),
  );
  expect(invariants.violations).toEqual([]);
  const [rollout] = rollouts;
  return {
    rows: clusters.flatMap(({ rows }) => rows.map((row) => `${row.phase} ${row.reason} ${row.attempt}`)).toSorted(),
    rollout: `${rollout?.phase} ${rollout?.reason}`,
    wave: rollout?.waves[0]?.phase ?? '',
    classes: (rollout?.classes ?? []).map(({ changes, approval }) => `${changes.join()} ${approval}`),
  };
}

const target = (...classes: readonly object[]) => ({ subject: SUBJECT, to: LAST, classes });

describe('what a catalog does while a cluster is between two hops, live and in simulate', () => {
  it('removes the target: it is installed nowhere', async () => {
    const strategy = { waves: [{ name: 'all', maxConcurrent: 2 }] };
    const played = await begun(strategy, [NEXT, LAST]);
    await works(
      played,
      () => false,
      () => {
        for (const cluster of played.clusters) cluster.withdraw([LAST]);
      },
    );
    const installed = await Promise.all(played.clusters.map((one) => one.installed()));
    expect(installed).toEqual([NEXT, NEXT]);
    played.hub.cluster.requests.clear();
    await works(played, () => false);
    expect(played.hub.cluster.requests.writes(), 'it is at rest').toEqual([]);
    const live = await endOf(played);
    expect(live).toEqual(
      rehearsed(strategy, {
        targets: [target({ name: 'only', hops: 2 })],
        script: [{ at: '30s', withdraw: { subject: SUBJECT, to: LAST } }],
      }),
    );
    expect(live.rows).toEqual(Array(2).fill('Skipped OtherTarget 1'));
  });

  it('skips the version that comes next: what is left is planned, and approved, anew', async () => {
    const strategy = { waves: [{ name: 'all', maxConcurrent: 2 }], approval: { default: 'Manual' } };
    const played = await begun(strategy, [NEXT, MIDDLE, LAST]);
    await works(played, () => false, undefined);
    await approve(played, 'path');
    const skips = () => {
      for (const cluster of played.clusters) cluster.withdraw([MIDDLE], { after: NEXT, to: LAST });
    };
    await works(played, () => false, skips);
    const targets = [
      target({ name: 'path', hops: 3, changes: ['Minor'] }, { name: 'rest', hops: 2, changes: ['Minor'] }),
    ];
    const decide = (at: string, name: string) => ({
      at,
      decide: { rollout: 'platform/kafka-1', action: 'Approve', class: name, by, reason: 'CHG-1' },
    });
    const faults = [{ planChanges: { class: 'rest', hop: 2 } }];
    const script = [decide('10s', 'path')];
    const waiting = rehearsed(strategy, { targets, script, ...{ faults } });
    expect(await endOf(played)).toEqual(waiting);
    expect(waiting.rows).toEqual(Array(2).fill('Waiting Approval 1'));
    await approve(played, 'rest');
    await works(played, () => false);
    const done = rehearsed(strategy, { targets, script: [...script, decide('10m', 'rest')], ...{ faults } });
    expect(await endOf(played)).toEqual(done);
    expect(done.rows).toEqual(Array(2).fill('Done Healthy 2'));
  });

  it('deprecates the target: who is on its way comes to its end, and the others wait for approval', async () => {
    const approval = { default: 'Auto', rules: [{ changes: ['Deprecated'], action: 'Manual' }] };
    const strategy = { waves: [{ name: 'all', maxConcurrent: 1 }], approval };
    const played = await begun(strategy, [NEXT, LAST]);
    let isDeprecated = false;
    const deprecates = () => {
      isDeprecated = true;
    };
    await works(played, () => isDeprecated, deprecates);
    const live = await endOf(played);
    expect(live).toEqual(
      rehearsed(strategy, {
        targets: [target({ name: 'only', hops: 2 })],
        script: [{ at: '30s', deprecate: { subject: SUBJECT, to: LAST } }],
      }),
    );
    expect(live.rows).toEqual(['Done Healthy 1', 'Waiting Approval 0']);
    expect(live.classes).toEqual(['Minor,Deprecated Waiting']);
  });
});
