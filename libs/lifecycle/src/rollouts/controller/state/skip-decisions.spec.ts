import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { scenarioFrom } from '#core/rollout/simulation/kafka-scenario.fixture';
import { simulateChecked } from '#core/rollout/simulation/simulate-checked';
import { storedRows } from '../../assignments/stored-rollout.js';
import { ordered, plannedClusters, succeed } from '../planned-clusters.fixture.js';
import type { PlayedFleet } from '../rollouts.fixture.js';
import { skippedByDecisions } from './skip-decisions.js';

const NAMES = ['shop-1', 'shop-2'];

let fleet: PlayedFleet;
afterEach(() => fleet.stop());

async function passes(): Promise<void> {
  for (let left = 4; left > 0; left--) await fleet.controller.pass();
}
async function decide(action: string, name: string, more: object = {}): Promise<void> {
  const by = { user: 'anna', groups: [] };
  await fleet.apply('FleetDecision', name, { rollout: 'kafka-1', action, reason: 'CHG-7', by, ...more });
  await fleet.clock.advance(1_000);
  await passes();
}
/** The assignment of a cluster is deleted, and its applier reports anew what it plans. */
async function lose(name: string): Promise<void> {
  // The rollout itself keeps the rows of its last step.
  await decide('Pause', `wait-${name}`);
  await decide('Resume', `go-on-${name}`);
  const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name };
  const status = fleet.hub.cluster.get(ref)?.['status'];
  fleet.hub.cluster.delete(ref);
  await passes();
  fleet.hub.cluster.edit(ref, (stored) => Object.assign(stored, { status }), 'status');
  await passes();
}

describe('a hub that lost an assignment', () => {
  beforeEach(async () => {
    fleet = await plannedClusters(NAMES, [{ name: 'all', promotion: 'Manual', maxConcurrent: 5 }]);
    await passes();
    await decide('Skip', 'except', { clusters: ['shop-2'] });
  });

  it('holds to a Skip of a cluster whose assignment was deleted', async () => {
    await lose('shop-2');
    await decide('Promote', 'go');
    expect(ordered(fleet)).toEqual(['shop-1']);
  });

  it('brings the update at once where a Retry follows the Skip', async () => {
    await decide('Retry', 'after-all', { clusters: ['shop-2'] });
    const { row } = storedRows(assignmentOf('shop-2'))['platform/kafka-1'] ?? {};
    expect(row).toMatchObject({ phase: 'Waiting', reason: 'WaveNotOpen' });
    await decide('Promote', 'go');
    expect(ordered(fleet)).toEqual(NAMES);
  });

  it('brings the update where a Retry came after the Skip', async () => {
    await decide('Retry', 'after-all', { clusters: ['shop-2'] });
    await lose('shop-2');
    await decide('Promote', 'go');
    expect(ordered(fleet)).toEqual(NAMES);
  });
});

describe('a Skip of more than it names, where assignments are lost', () => {
  const WAVES = [
    {
      name: 'lab',
      promotion: 'Manual',
      requireSuccesses: 0,
      maxConcurrent: 5,
      clusters: { expression: 'cluster.name == "shop-1"' },
    },
    { name: 'shops', promotion: 'Manual', maxConcurrent: 5 },
  ];
  const names = [...NAMES, 'shop-3'];
  /** Ends with which clusters started, and the rows. */
  function rehearsed(decisions: readonly object[]): string[] {
    const by = { user: 'anna', groups: [] };
    const all = [...decisions, { action: 'Promote', wave: 'lab' }, { action: 'Promote', wave: 'shops' }];
    const script = all.map((more, at) => ({
      at: `${at + 1}m`,
      decide: { rollout: 'platform/kafka-1', by, reason: 'CHG-7', ...more },
    }));
    const faults = [{ from: `${decisions.length + 0.5}m`, assignmentsLost: {} }];
    const clusters = names.map((name) => ({ name }));
    const release = { at: '0s', release: { subject: 'FleetOperator/platform/kafka' } };
    const scenario = scenarioFrom({
      strategy: { waves: WAVES },
      clusters,
      file: { script: [release, ...script], faults },
    });
    const summary = simulateChecked(scenario, () => undefined);
    expect(summary.invariants.violations).toEqual([]);
    return summary.clusters.flatMap(({ name, rows }) => (rows.some(({ attempt }) => attempt > 0) ? [name] : []));
  }

  it.each<{
    of: string;
    decisions: { action: string; wave?: string; class?: string; clusters?: string[] }[];
    go: string[];
  }>([
    { of: 'a wave', decisions: [{ action: 'Skip', wave: 'shops' }], go: ['shop-1'] },
    { of: 'a class', decisions: [{ action: 'Skip', class: 'only' }], go: [] },
    { of: 'all', decisions: [{ action: 'Skip' }], go: [] },
    {
      of: 'all, and a Retry of a wave',
      decisions: [{ action: 'Skip' }, { action: 'Retry', wave: 'shops' }],
      go: ['shop-2', 'shop-3'],
    },
    {
      of: 'a wave, and a Retry of one cluster',
      decisions: [
        { action: 'Skip', wave: 'shops' },
        { action: 'Retry', clusters: ['shop-2'] },
      ],
      go: NAMES,
    },
  ])('holds: $of', async ({ decisions, go }) => {
    fleet = await plannedClusters(names, WAVES);
    await passes();
    const { classes } = await fleet.rollout('kafka-1');
    for (const [at, { class: name, ...one }] of decisions.entries()) {
      const of = name === undefined ? {} : { class: classes?.[0]?.hash };
      await decide(one.action, `decision-${at}`, { ...one, ...of });
    }
    for (const name of names) await lose(name);
    for (const wave of ['lab', 'shops']) {
      await decide('Promote', `go-${wave}`, { wave });
      for (const name of ordered(fleet)) succeed(fleet, name);
      await passes();
    }
    const rows = names.filter((name) => attemptIn(name) > 0);
    expect(rows).toEqual(rehearsed(decisions));
    expect(rows).toEqual(go);
  });
});

const assignmentOf = (name: string) =>
  fleet.hub.cluster.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name }) ?? { metadata: {} };
const attemptIn = (name: string): number => storedRows(assignmentOf(name))['platform/kafka-1']?.row.attempt ?? 0;

describe('skippedByDecisions', () => {
  const of = (name: string, action: string, created: string, more: object = {}) =>
    ({
      metadata: { name, namespace: 'platform', creationTimestamp: created },
      spec: { rollout: 'kafka-1', action, clusters: ['shop-2'], ...more },
      status: { effective: true, at: created },
    }) as unknown as FleetDecision;
  const rollout = { metadata: { name: 'kafka-1', namespace: 'platform', creationTimestamp: '2026-01-05T00:00:00Z' } };
  const skipped = (...decisions: FleetDecision[]) => [...skippedByDecisions(rollout, decisions)];

  it.each<[string, readonly FleetDecision[], readonly string[]]>([
    ['a Skip', [of('a', 'Skip', '2026-01-05T00:00:00Z')], ['shop-2']],
    ['one about an earlier rollout of this name', [of('a', 'Skip', '2026-01-04T23:59:59Z')], []],
    ['one about another rollout', [of('a', 'Skip', '2026-01-05T00:00:00Z', { rollout: 'kafka-2' })], []],
    [
      'a Retry of all after it',
      [of('a', 'Skip', '2026-01-05T00:00:00Z'), of('b', 'Retry', '2026-01-05T00:00:01Z', { clusters: [] })],
      [],
    ],
    [
      'a Skip after a Retry',
      [of('a', 'Retry', '2026-01-05T00:00:00Z'), of('b', 'Skip', '2026-01-05T00:00:01Z')],
      ['shop-2'],
    ],
  ])('%s', (_, decisions, is) => {
    expect(skipped(...decisions)).toEqual(is);
  });
});
