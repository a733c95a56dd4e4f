import { describe, expect, it } from 'vitest';
import type { RolloutAnswer } from '../rollout/rollout-answer.js';
import { NO_HINTS, type RolloutHints } from '../rollout/rollout-hints.js';
import { rolloutText } from './rollout-text.js';

const counts = (more: object = {}) => ({
  ...{
    targets: 0,
    waiting: 0,
    applying: 0,
    verifying: 0,
    done: 0,
    failed: 0,
    rollingBack: 0,
    rolledBack: 0,
    skipped: 0,
  },
  ...more,
});
const wave = (name: string, more: object): RolloutAnswer['waves'][number] => ({
  ...{ name, phase: 'Pending', reason: 'NotItsTurn', counts: counts(), limit: 5, failures: 0, soak: '0s' },
  ...{ soakUntil: null, openedAt: null, completedAt: null },
  ...more,
});
const NOW = Date.parse('2026-01-05T12:00:00Z');
const ANSWER: RolloutAnswer = {
  name: 'platform/kafka-7',
  subject: 'FleetOperator/platform/kafka',
  target: 'kafka-operator.v2.4.0',
  phase: 'Progressing',
  reason: 'Planned',
  role: 'active',
  startedAt: '2026-01-05T11:56:50Z',
  finishedAt: null,
  currentWave: 2,
  counts: counts({ targets: 1000 }),
  waves: [
    wave('lab', { phase: 'Complete', reason: 'Passed', counts: counts({ targets: 20, done: 20 }) }),
    wave('canary', {
      phase: 'Open',
      reason: 'Opened',
      soak: '24h',
      counts: counts({ targets: 50, done: 31, applying: 3, verifying: 2, waiting: 13, skipped: 1 }),
    }),
    wave('rest', { counts: counts({ targets: 930, waiting: 930 }) }),
  ],
  waiting: [
    { reason: 'WaveNotOpen', clusters: 930, window: null },
    { reason: 'Budget', clusters: 9, window: null },
    {
      reason: 'Window',
      clusters: 4,
      window: {
        ...{ windows: ['nights'], isFreeze: false, untilAt: null, until: 'opens Sat 22:00 Europe/Berlin' },
        ...{ sentence: '', breakGlassGroups: [] },
      },
    },
  ],
  classes: [
    {
      ...{ hash: '3f9c1e2ab7d0', clusters: 44, changes: ['Minor', 'RBACGrowth'], approval: 'Waiting' },
      ...{ reason: 'Manual', demands: [] },
    },
  ],
  failures: [],
  wentBack: [],
};
const HINTS: RolloutHints = { ...NO_HINTS, awaited: new Set(['3f9c1e2ab7d0']) };
const text = (width?: number, more: Partial<RolloutAnswer> = {}, hints: Partial<RolloutHints> = {}) =>
  rolloutText(
    { ...ANSWER, ...more },
    { short: 'kafka-7', now: NOW, width, wide: false, hints: { ...HINTS, ...hints } },
  );

describe('a rollout for people', () => {
  it('is a line, its waves, what clusters wait for, and what waits for approval', () => {
    expect(text()).toBe(
      [
        'platform/kafka-7  kafka-operator.v2.4.0  Progressing   wave 2 of 3 (canary), 3m10s',
        'WAVE    STATE     MEMBERS  DONE  FLIGHT  WAIT  FAILED  SKIPPED  NOTE',
        'lab     Complete  20       20    0       0     0       0',
        'canary  Open      50       31    5/5     13    0       1        soak 24h after the last success',
        'rest    Pending   930      0     0       930   0       0',
        '930 WaveNotOpen · 9 Budget · 4 Window (opens Sat 22:00 Europe/Berlin)',
        '1 class waits for approval: 3f9c1e2ab7d0, 44 clusters (Minor, RBACGrowth)',
        '  → flotilla fleet plan kafka-7 --class 3f9c1e2ab7d0',
        '',
      ].join('\n'),
    );
  });

  it('keeps within a narrow terminal, but for commands', () => {
    const lines = text(60).split('\n');
    expect(lines.slice(0, 2)).toEqual([
      'platform/kafka-7  kafka-operator.v2.4.0  Progressing',
      'wave 2 of 3 (canary), 3m10s',
    ]);
    expect(lines[2]).toMatch(/^WAVE +STATE +DONE +FLIGHT +WAIT +FAILED +NOTE$/);
    expect(lines[4]).toMatch(/^canary +Open +31\/50 +5\/5 +13 +0 +soak 24h aft…$/);
    expect(lines.slice(0, 6).filter((line) => line.length > 60)).toEqual([]);
  });

  it('breaks no name in a narrow terminal, and names who failed whole', () => {
    const cause = `ImagePullBackOff: Back-off pulling image quay.io/kafka/operator@sha256:${'1b'.repeat(32)}`;
    const failures = [{ reason: 'ApplyFailed', cause, clusters: 7, sample: ['store-0003', 'store-0412'] }];
    const lines = text(40, { failures }).split('\n');
    expect(lines.slice(0, 2)).toEqual(['platform/kafka-7  kafka-operator.v2.4.0', '  Progressing']);
    expect(lines).toContain('  [store-0003, store-0412, …]');
    expect(lines.join('\n')).toContain(cause.slice(-80));
    expect(text(undefined, { failures })).toContain(`: ${cause} [store-0003, store-0412, …]\n`);
    const cut = [{ reason: 'ApplyFailed', cause: 'x '.repeat(500), clusters: 1, sample: ['store-0003'] }];
    expect(text(40, { failures: cut }).split('\n').length).toBeLessThan(25);
  });

  it.each<[string, number | undefined, string]>([
    [
      'in one line of a terminal',
      80,
      '  store-0003: kafka.v2.3.2 is Installing: waiting for deployment kafka to becom…',
    ],
    [
      'whole in a file',
      undefined,
      '  store-0003: kafka.v2.3.2 is Installing: waiting for deployment kafka to become ready',
    ],
  ])('says %s which version failed and why, as the first cluster that failed so does', (_where, width, line) => {
    const failures = [
      { reason: 'ProgressDeadlineExceeded', cause: 'step 2 of 3', clusters: 2, sample: ['store-0003', 'store-0412'] },
      { reason: 'ApplyFailed', cause: 'step 1 of 3: no image', clusters: 1, sample: ['store-0007'] },
    ];
    const said = new Map([
      ['store-0003', 'kafka.v2.3.2 is Installing: waiting for deployment\nkafka to become ready'],
      ['store-0007', 'no image'],
    ]);
    const lines = text(width, { failures }, { said }).split('\n');
    const at = lines.indexOf(line);
    expect(lines.slice(at - 1, at + 2)).toEqual([
      '2 Failed (ProgressDeadlineExceeded): step 2 of 3 [store-0003, store-0412]',
      line,
      '1 Failed (ApplyFailed): step 1 of 3: no image [store-0007]',
    ]);
  });

  it('says how long one that is over took, and shows returns in a column of their own', () => {
    const back = wave('lab', { phase: 'RolledBack', counts: counts({ targets: 2, rolledBack: 2 }) });
    const over = { phase: 'RolledBack', reason: 'AllRolledBack', finishedAt: '2026-01-05T11:58:50Z' } as const;
    expect(text(undefined, { ...over, waves: [back], waiting: [], classes: [] })).toMatch(
      /^platform\/kafka-7 {2}\S+ {2}RolledBack \(AllRolledBack\) {3}after 2m\nWAVE .* BACK +NOTE\nlab +RolledBack +2 +0 +0 +0 +0 +0 +2\n$/,
    );
  });

  const open = wave('rest', {
    phase: 'Open',
    reason: 'NotEnoughSuccesses',
    counts: counts({ targets: 2, skipped: 2 }),
  });
  const OVER = { phase: 'Superseded', role: 'frozen', classes: [], waiting: [] } as const;
  it.each<[string, Partial<RolloutAnswer>, Partial<RolloutHints>, string[]]>([
    [
      'one whose target was withdrawn',
      { waves: [open], waiting: [], classes: [] },
      { isWithdrawn: true },
      [
        'kafka-operator.v2.4.0 was withdrawn: no cluster has it, and no catalog leads to it',
        '  → flotilla fleet abort kafka-7 --reason "…"   (ends it now; otherwise it ends with the next target)',
      ],
    ],
    ['a class of which no cluster waits', { waiting: [] }, { awaited: new Set() }, []],
    [
      'a class that leads elsewhere',
      { waiting: [] },
      { ownTargets: new Map([['3f9c1e2ab7d0', 'kafka-operator.v2.3.9']]) },
      [
        '1 class waits for approval: 3f9c1e2ab7d0, 44 clusters (Minor, RBACGrowth) to kafka-operator.v2.3.9',
        '  → flotilla fleet plan kafka-7 --class 3f9c1e2ab7d0',
      ],
    ],
    [
      'clusters between two steps',
      { classes: [], waiting: [] },
      { kept: [{ reason: 'WindowClosed', clusters: 3 }] },
      ['3 waiting between two steps (WindowClosed)'],
    ],
    [
      'one that has ended with clusters on the way',
      { ...OVER, counts: counts({ targets: 1000, waiting: 3 }) },
      { leftOnTheWay: 1 },
      ['2 clusters were not changed · 1 cluster was left midway'],
    ],
    [
      'one that has ended with all clusters on the way',
      { ...OVER, counts: counts({ targets: 1000, waiting: 1 }) },
      { leftOnTheWay: 1 },
      ['1 cluster was left midway'],
    ],
  ])('says of %s what follows from its clusters', (_what, more, hints, says) => {
    const lines = text(undefined, more, hints).trimEnd().split('\n');
    expect(lines.slice(2 + (more.waves ?? ANSWER.waves).length)).toEqual(says);
  });
});
