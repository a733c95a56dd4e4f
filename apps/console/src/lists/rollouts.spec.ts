import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import { operatorRow } from '../console.fixture.js';
import { FleetOrders } from '../rows/fleet-rows.js';
import type { Person } from '../sign-in/person.js';
import { rolloutSeenBy, rolloutsSeenBy } from './rollouts.js';

const ROW: FleetRolloutRow = {
  ...{ id: 'fleet/lamp-1', package: 'lamp', target: 'lamp.v2', phase: 'Progressing', reason: '', code: '' },
  ...{ startedAt: '2026-11-26T10:00:00Z', finishedAt: '', waves: [], message: '', failures: [], classes: [] },
  moreDecisions: 0,
};
const cause = { code: 'plan-failed', kind: 'InstallPlan', names: ['lamp'], text: 'plan failed' };
const { rows } = new FleetOrders([
  operatorRow('east', 'lamp', { next: 'lamp.v2', standing: 'failed', cause }),
  operatorRow('east', 'harbor', { next: 'harbor.v2', standing: 'under-way' }),
]);
const seenWith = (unbounded: boolean, led: readonly FleetRolloutRow[]) =>
  rolloutsSeenBy({
    rows,
    reader: { rollouts: async () => led },
    person: { rights: { unbounded } } as unknown as Person,
  });

it('a rollout of the fleet takes the place of what follows from the clusters, with its failures', async () => {
  const found = await seenWith(true, [ROW]);
  expect(found.map(({ id, derived }) => [id, derived])).toEqual([
    ['fleet/lamp-1', false],
    ['harbor@harbor.v2', true],
  ]);
  expect(found[0]?.failures).toEqual([{ reason: '', cause: 'plan failed', clusters: 1, examples: ['east'] }]);
});

it('says of failures what the rollout itself says, where it does', async () => {
  const failure = { reason: 'deadline exceeded', cause: 'no image', clusters: 2, sample: ['east', 'west'] };
  const [found] = await seenWith(true, [{ ...ROW, failures: [failure] }]);
  const { sample: examples, ...same } = failure;
  expect(found?.failures).toEqual([{ ...same, examples }]);
});

it('who sees a part of the fleet sees no counts of all of it', async () => {
  const ids = (await seenWith(false, [ROW])).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(['harbor@harbor.v2', 'lamp@lamp.v2']);
});

it('a plan that waits for a rollout that went back is no rollout of its own', async () => {
  const ended = { ...ROW, phase: 'RolledBack', finishedAt: '2026-11-26T11:00:00Z' };
  expect((await seenWith(true, [ended])).map(({ id }) => id)).toEqual(['harbor@harbor.v2', 'fleet/lamp-1']);
});

it('counts a cluster as done when the target runs there, not when it is only installed', async () => {
  const failed = { installed: 'lamp.v2', standing: 'failed', cause } as const;
  const members = [
    operatorRow('east', 'lamp', { next: 'lamp.v2', standing: 'under-way' }),
    operatorRow('north', 'lamp', { installed: 'lamp.v2' }),
    operatorRow('south', 'lamp', { ...failed, stillRuns: 'lamp.v1' }),
    operatorRow('west', 'lamp', failed),
  ];
  const [found] = await rolloutsSeenBy({
    rows: new FleetOrders(members).rows,
    reader: { rollouts: async () => [] },
    person: { rights: { unbounded: true } } as unknown as Person,
  });
  expect(found?.waves).toMatchObject([{ members: 4, done: 1, underWay: 1, failed: 2 }]);
});

const NOW = new Date('2026-11-26T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const change = (minutes: number, cluster: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  ...{ at: minutesAgo(minutes), kind: 'version', cluster, row: '', namespace: 'lamps', package: 'lamp' },
  ...{ from: 'lamp.v1', to: 'lamp.v2', by: 'hub', comment: '', ...more },
});
const wave = (name: string, phase: string, more: object = {}): FleetRolloutRow['waves'][number] => ({
  ...{ name, phase, members: 30, done: 10, underWay: 4, waiting: 16, skipped: 0, failed: 0, note: '' },
  ...{ openedAt: '', completedAt: '', soakUntil: '', deadline: '', code: '', soak: '', gates: [], ...more },
});
/** Ten clusters came within forty minutes; one went elsewhere, one has another package, one came long ago. */
const ARRIVALS = [
  ...Array.from({ length: 10 }, (_, index) => change(4 * index + 2, `eu-${index}`)),
  change(3, 'us-1', { to: 'lamp.v3' }),
  change(3, 'us-2', { package: 'harbor' }),
  change(300, 'us-3'),
];
const detailOf = (led: FleetRolloutRow, entries: readonly HistoryEntry[] = ARRIVALS, knownSince = minutesAgo(900)) =>
  rolloutSeenBy(
    {
      ...{ rows, view: { asOf: NOW, row: () => undefined } },
      reader: { rollouts: async () => [led], history: async () => ({ entries, knownSince }) },
      person: { rights: { unbounded: true } } as unknown as Person,
    } as unknown as Parameters<typeof rolloutSeenBy>[0],
    led.id,
  );

describe('the pace of a rollout', () => {
  const LAST = [wave('lab', 'Complete'), wave('rest', 'Open')];

  it('counts the clusters that came to its target in the last hour', async () => {
    const pace = (await detailOf({ ...ROW, waves: LAST }))?.pace;
    expect(pace).toMatchObject({ clusters: 10, minutes: 60, left: 20, leftMinutes: 120 });
    expect(pace?.parts).toEqual([0, 0, 0, 0, 1, 1, 2, 1, 1, 1, 2, 1]);
  });

  it('is that of the time since which the hub knows what changed', async () => {
    const pace = (await detailOf({ ...ROW, waves: LAST }, ARRIVALS, minutesAgo(20)))?.pace;
    expect(pace).toMatchObject({ clusters: 5, minutes: 20, left: 20, leftMinutes: 80 });
  });

  it.each<[string, Partial<FleetRolloutRow>]>([
    ['a wave has yet to open', { waves: [wave('lab', 'Open'), wave('rest', 'Pending')] }],
    ['a wave soaks', { waves: [wave('rest', 'Soaking')] }],
    ['an approval is missing', { waves: LAST, classes: [{ hash: '3f9c', clusters: 4, changes: [] }] }],
    ['it is paused', { waves: LAST, phase: 'Paused' }],
    ['nothing is under way', { waves: [wave('rest', 'Open', { underWay: 0 })] }],
    ['it has ended', { waves: LAST, phase: 'Completed', finishedAt: NOW.toISOString() }],
  ])('says nothing of its end where %s', async (_, more) => {
    const pace = (await detailOf({ ...ROW, ...more }))?.pace;
    expect(pace).toMatchObject({ clusters: 10 });
    expect(pace?.leftMinutes).toBeUndefined();
  });

  it('says nothing of its end after four clusters', async () => {
    const pace = (await detailOf({ ...ROW, waves: LAST }, ARRIVALS.slice(0, 4)))?.pace;
    expect(pace).toMatchObject({ clusters: 4 });
    expect(pace?.leftMinutes).toBeUndefined();
  });
});

it('one rollout has what its clusters go through, the list of all has not', async () => {
  const at = { clusters: 0, sample: [] };
  const steps = [{ from: 'lamp.v1', to: 'lamp.v2', underWay: { clusters: 1, sample: ['east'] }, failed: at }];
  const paths = { classes: [{ hash: '3f9c', clusters: 1, steps }], more: 0 };
  expect((await detailOf({ ...ROW, paths }))?.paths).toEqual(paths);
  expect(await detailOf(ROW)).not.toHaveProperty('paths');
  expect((await seenWith(true, [{ ...ROW, paths }]))[0]).not.toHaveProperty('paths');
});

describe('the decisions about a rollout', () => {
  const decision = {
    at: minutesAgo(9),
    by: 'jane@example.com',
    action: 'Pause',
    about: '',
    reason: 'CHG-1',
    outcome: '',
  };

  it('are those of the hub API; where it does not say, they are not known', async () => {
    expect((await detailOf({ ...ROW, decisions: [decision], moreDecisions: 3 }))?.decisions).toEqual([decision]);
    expect((await detailOf({ ...ROW, decisions: [decision], moreDecisions: 3 }))?.moreDecisions).toBe(3);
    expect((await detailOf(ROW))?.decisions).toBeUndefined();
  });

  it('of one that follows from the clusters are the approvals of its plans, one line for each person and minute', async () => {
    const approved = { kind: 'approval', by: 'jane@example.com', comment: 'CHG-2' } as const;
    const entries = [
      change(1, 'eu-1', approved),
      change(1, 'eu-2', approved),
      change(9, 'eu-3', { ...approved, by: 'otto' }),
    ];
    const found = await rolloutSeenBy(
      {
        ...{ rows, view: { asOf: NOW, row: () => undefined } },
        reader: { rollouts: async () => [], history: async () => ({ entries, knownSince: minutesAgo(900) }) },
        person: { rights: { unbounded: true } } as unknown as Person,
      } as unknown as Parameters<typeof rolloutSeenBy>[0],
      'lamp@lamp.v2',
    );
    expect(found?.decisions?.map(({ by, about, reason }) => [by, about, reason])).toEqual([
      ['jane@example.com', '2 clusters', 'CHG-2'],
      ['otto', 'eu-3', 'CHG-2'],
    ]);
  });
});
