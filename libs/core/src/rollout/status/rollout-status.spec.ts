import { describe, expect, it } from 'vitest';
import { StrategySpec } from '../../kernel/api/fleet/fleet-strategy.js';
import { newStatus, type RolloutSpec, type RolloutStatus, type WaveStatus } from '../controller/step/rollout-state.js';
import { newRow, type RolloutRow } from '../controller/step/row.js';
import { WaveTally } from '../controller/step/tally.js';
import { wavesOf } from '../placement/waves.js';
import { nextStallAt } from './rollout-conditions.js';
import { rolloutStatus, type StoredRolloutStatus } from './rollout-status.js';

const START = Date.parse('2026-01-05T00:00:00Z');
const MINUTE = 60_000;
const strategy = StrategySpec.parse({
  waves: [
    { name: 'lab', soak: '1h' },
    { name: 'canary', failureThreshold: 1, progressDeadline: '45m' },
  ],
});
const spec: RolloutSpec = {
  ...{ name: 'platform/kafka-1', uid: 'u', subject: 'FleetOperator/platform/kafka', number: 1, target: 'kafka.v2' },
  ...{ trigger: 'Release', strategy, waves: wavesOf(strategy), cuts: [] },
};

type Cluster = Partial<RolloutRow> & Readonly<{ cluster: string }>;
type Waves = readonly Partial<WaveStatus>[];
const member = { generation: 1, identity: 1 };

function seen(clusters: readonly Cluster[], waves: Waves = [], more: Partial<RolloutStatus> = {}) {
  const rows = new Map(clusters.map((one) => [one.cluster, { ...newRow(one.cluster, 'a', 0, member), ...one }]));
  const tallies = spec.waves.map(() => new WaveTally());
  for (const row of rows.values()) tallies[row.wave]?.add(row, 1);
  const fresh = newStatus(START, spec.waves.length, 'Released');
  const all = fresh.waves.map((wave, at) => ({ ...wave, ...waves[at] }));
  const status = { ...fresh, phase: 'Progressing', reason: 'Planned', isPlanned: true, waves: all, ...more } as const;
  return { spec, status, rows, tallies };
}
const at = (minutes: number) => START + minutes * MINUTE;
const conditionsOf = (rollout: ReturnType<typeof seen>, before: StoredRolloutStatus = {}, now = START) =>
  rolloutStatus(rollout, before, now).conditions.map((one) => `${one.type}=${one.status} ${one.reason} ${one.message}`);

const waiting = (cluster: string, reason: string, wave = 0): Cluster => ({ cluster, wave, phase: 'Waiting', reason });
const failed = (cluster: string, message: string, wave = 0): Cluster => ({
  ...{ cluster, wave, phase: 'Failed', reason: 'ApplyFailed', message, isFailure: true },
});
const done = (cluster: string, doneAt: number, wave = 0): Cluster => ({
  ...{ cluster, wave, phase: 'Done', reason: 'Healthy', doneAt, attempt: 1 },
});
const open = { phase: 'Open', reason: 'Opened', openedAt: START } as const;
const complete = { phase: 'Complete', reason: 'Passed' } as const;
const soaking = { phase: 'Soaking', reason: 'Soak', openedAt: START } as const;

describe('the waves and the phase of a FleetRollout', () => {
  const gate = { name: 'errors', webhook: { url: 'https://gate.example' } };
  const gated = (when: 'Before' | 'After', state: 'Red' | 'Green') => {
    const checked = StrategySpec.parse({ waves: [{ name: 'lab', gates: [{ ...gate, when, scope: 'Wave' }] }] });
    const wave = when === 'Before' ? ({ phase: 'Pending', reason: 'GateBefore' } as const) : soaking;
    const progress = { errors: { green: 0, red: 1, askedAt: START, state } };
    const rollout = seen([waiting('a', 'WaveNotOpen')], [{ ...wave, gates: progress }]);
    return rolloutStatus({ ...rollout, spec: { ...spec, waves: wavesOf(checked) } }, {}, START).waves[0]?.redGate;
  };
  it.each([
    ['Before', 'Red', 'errors'],
    ['After', 'Red', 'errors'],
    ['Before', 'Green', undefined],
  ] as const)('name a gate of a wave: %s %s', (when, state, expected) => {
    expect(gated(when, state)).toBe(expected);
  });

  it('say since when the phase is there, whatever moves in it', () => {
    const first = rolloutStatus(seen([waiting('a', 'Halted')], [soaking]), {}, at(0));
    const halted = { phase: 'Halted', reason: 'GateRed' } as const;
    const second = rolloutStatus(seen([waiting('a', 'Halted')], [soaking], halted), first, at(5));
    const third = rolloutStatus(seen([done('a', START)], [soaking], halted), second, at(9));
    expect([first, second, third].map(({ phaseSince }) => phaseSince)).toEqual([
      ...[new Date(at(0)).toISOString(), new Date(at(5)).toISOString(), new Date(at(5)).toISOString()],
    ]);
  });
});

describe('the conditions of a FleetRollout', () => {
  it.each<[string, ReturnType<typeof seen>, string]>([
    [
      'says that a success was lost during the soak, and what ends that',
      seen([done('a', START), failed('b', 'x')], [{ ...soaking, reason: 'NotEnoughSuccesses' }]),
      'Progressing=False NotEnoughSuccesses wave 1 of 3 (lab): a success was lost during the soak; a Promote or a Retry decision ends this',
    ],
    [
      'says what resumes a rollout that a gate has stopped and that is green now',
      seen([done('a', START)], [complete], { phase: 'Halted', reason: 'GateTimeout' }),
      'Progressing=False Halted wave 2 of 3 (canary): GateTimeout: its gates are green now; a Resume decision continues it; a Rollback decision rolls its clusters back; an Abort decision ends it as it is; otherwise it ends with the next version',
    ],
    [
      'does not say so while they are not green',
      seen([done('a', START)], [{ ...soaking, reason: 'GateAfter' }], { phase: 'Halted', reason: 'GateTimeout' }),
      'Progressing=False Halted wave 1 of 3 (lab): GateTimeout: a Resume or Retry decision continues it; a Rollback decision rolls its clusters back; an Abort decision ends it as it is; otherwise it ends with the next version',
    ],
    [
      'says how a rollout ends that could not go back everywhere',
      seen([], [], { phase: 'Halted', reason: 'RollbackIncomplete' }),
      'Progressing=False Halted wave 1 of 3 (lab): RollbackIncomplete: a Rollback decision tries again to roll the others back; an Abort decision ends it as it is; otherwise it ends with the next version',
    ],
    [
      'says what is under way',
      seen([{ cluster: 'a', phase: 'Applying', reason: 'Started' }, waiting('b', 'Budget')], [open]),
      'Progressing=True Advancing wave 1 of 3 (lab): 1 cluster under way: 1 Budget',
    ],
    [
      'names what most clusters of the wave at work wait for, not those of later waves',
      seen(
        [
          ...[waiting('a', 'Approval'), waiting('b', 'Window'), waiting('c', 'Approval')],
          ...['d', 'e', 'f', 'g'].map((name) => waiting(name, 'WaveNotOpen', 1)),
        ],
        [open],
      ),
      'Progressing=False Approval wave 1 of 3 (lab): 2 Approval, 1 Window',
    ],
    [
      'takes the reason that comes first where two are as common',
      seen([waiting('a', 'Window'), waiting('b', 'Offline')], [open]),
      'Progressing=False Offline wave 1 of 3 (lab): 1 Offline, 1 Window',
    ],
    [
      'says that a wave soaks',
      seen([done('a', START)], [soaking]),
      'Progressing=False Soaking wave 1 of 3 (lab): Soak',
    ],
    [
      'says that successes are missing',
      seen([failed('a', 'x', 1)], [complete, { ...open, reason: 'NotEnoughSuccesses' }]),
      'Progressing=False NotEnoughSuccesses wave 2 of 3 (canary)',
    ],
    [
      'says who is asked for',
      seen([waiting('a', 'WaveNotOpen')], [{ phase: 'AwaitingPromotion', reason: 'Manual' }]),
      'Progressing=False WaveNotOpen wave 1 of 3 (lab): waits for a Promote decision: 1 WaveNotOpen',
    ],
    [
      'says that it is paused',
      seen([], [], { phase: 'Paused', reason: 'Decision' }),
      'Progressing=False Paused wave 1 of 3 (lab): Decision',
    ],
    [
      'has the phase in which it ended',
      seen([], [], { phase: 'Superseded', reason: 'NewerTarget' }),
      'Progressing=False Superseded NewerTarget',
    ],
    [
      'names the wave with too many failures',
      seen([failed('a', 'x', 1), failed('b', 'x', 1)], [complete, open], {
        phase: 'Halted',
        reason: 'ThresholdExceeded',
      }),
      'Degraded=True ThresholdExceeded wave canary: 2 failures, 1 accepted',
    ],
    [
      'says that it could not go back everywhere',
      seen([], [], { phase: 'Halted', reason: 'RollbackIncomplete' }),
      'Degraded=True RollbackIncomplete ',
    ],
    [
      'counts failures that were accepted',
      seen([failed('a', 'x', 1)], [complete, complete, complete], { phase: 'Completed', reason: 'AllWavesComplete' }),
      'Degraded=True ClustersFailed 1 cluster',
    ],
    ['is well without failures', seen([done('a', START)], [open]), 'Degraded=False NoneFailed '],
  ])('%s', (_title, rollout, expected) => {
    expect(conditionsOf(rollout)).toContain(expected);
  });
});

describe('a rollout in which nothing moves', () => {
  const stalledAt = (rollout: ReturnType<typeof seen>, minutes: number) => {
    const before = rolloutStatus(rollout, {}, START);
    return rolloutStatus(rollout, before, at(minutes)).conditions.find(({ type }) => type === 'Stalled')?.status;
  };

  it('is stalled after the longest deadline of its waves', () => {
    const rollout = seen([waiting('a', 'Approval')], [open]);
    const before = rolloutStatus(rollout, {}, START);
    expect(nextStallAt(rollout, before)).toBe(at(45));
    expect(stalledAt(rollout, 44)).toBe('False');
    expect(stalledAt(rollout, 45)).toBe('True');
    const stalled = rolloutStatus(rollout, before, at(45));
    expect(nextStallAt(rollout, stalled), 'it is said once').toBeUndefined();
    expect(stalled.movedAt).toBe(before.movedAt);
  });

  it('is not stalled once a cluster has moved', () => {
    const before = rolloutStatus(seen([waiting('a', 'Approval'), waiting('b', 'Approval')], [open]), {}, START);
    const moved = seen([waiting('a', 'Approval'), done('b', at(40))], [open]);
    const after = rolloutStatus(moved, before, at(40));
    expect(after.movedAt).toBe(new Date(at(40)).toISOString());
    expect(nextStallAt(moved, after)).toBe(at(85));
  });

  it.each<[string, ReturnType<typeof seen>]>([
    ['a window holds it', seen([waiting('a', 'Window')], [open])],
    ['it is paused', seen([waiting('a', 'RolloutPaused')], [open], { phase: 'Paused', reason: 'Decision' })],
    ['it has ended', seen([done('a', START)], [complete], { phase: 'Completed', reason: 'AllWavesComplete' })],
  ])('is not stalled while %s', (_title, rollout) => {
    expect(stalledAt(rollout, 10_000)).toBe('False');
    expect(nextStallAt(rollout, rolloutStatus(rollout, {}, START))).toBeUndefined();
  });

  it('is not stalled while a wave soaks', () => {
    const rollout = seen([done('a', START)], [soaking]);
    expect(stalledAt(rollout, 60)).toBe('False');
    expect(stalledAt(rollout, 60 + 45)).toBe('True');
  });
});

describe('the status of a FleetRollout', () => {
  it('names the wave at work, and when its soak ends', () => {
    const status = rolloutStatus(seen([done('a', at(5)), waiting('b', 'WaveNotOpen', 1)], [soaking]), {}, at(5));
    expect(status.wave).toBe('1/3 lab');
    expect(status.waves.map(({ soakUntil }) => soakUntil)).toEqual(['2026-01-05T01:05:00.000Z', undefined, undefined]);
    const ended = seen([done('a', at(5))], [complete, complete, complete], { phase: 'Completed' });
    expect(rolloutStatus(ended, {}, at(5)).wave, 'its last wave with members').toBe('1/3 lab');
  });

  it('puts failures with the same cause together, and names five clusters of each', () => {
    const many = Array.from({ length: 7 }, (_, index) => failed(`m-${index}`, 'ImagePullBackOff'));
    const { failures } = rolloutStatus(seen([failed('b', 'disk'), ...many.toReversed()], [open]), {}, START);
    expect(failures).toEqual([
      {
        ...{ reason: 'ApplyFailed', cause: 'ImagePullBackOff', clusters: 7 },
        sample: ['m-0', 'm-1', 'm-2', 'm-3', 'm-4'],
      },
      { reason: 'ApplyFailed', cause: 'disk', clusters: 1, sample: ['b'] },
    ]);
    const causes = Array.from({ length: 12 }, (_, index) => failed(`c-${index}`, `cause ${index}`));
    expect(rolloutStatus(seen(causes, [open]), {}, START).failures).toHaveLength(10);
  });
});
